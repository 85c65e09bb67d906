import { route } from "../route.ts";
import { listOf } from "../schemas/lists.ts";
import { health, plan } from "../schemas/service.ts";

export const SERVICE_ROUTES = [
  route({
    method: "get",
    path: "/health",
    operationId: "getHealth",
    tag: "Service",
    summary: "Show the service's state",
    description:
      "Returns problems and how to fix them, the current load, and the activity of the last hour. Runs a subset of the checks of `snap-server doctor`.",
    response: health,
    handle: ({ service }) => service.readHealth(),
  }),
  route({
    method: "get",
    path: "/plans",
    operationId: "listPlans",
    tag: "Service",
    summary: "List the plans",
    response: listOf(plan),
    handle: async ({ operations }) => ({ entries: await operations.plans(), has_more: false }),
  }),
];
