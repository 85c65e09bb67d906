import type { RequestHandler } from "express";
import { addToAuditLog, recordChanges } from "../audit/record-changes.ts";
import { exchangeOf } from "../requests/exchange.ts";
import { hasBody, readJson } from "../requests/request-body.ts";
import { rawQueryOf, segmentOf } from "../requests/request-target.ts";
import { send } from "../requests/response.ts";
import type { AdminService } from "./admin-service.ts";
import type { Operator } from "./authenticate.ts";
import { toAdminFailure } from "./failures.ts";
import { localOperations } from "./operations/local-operations.ts";
import { ownOriginOf, requireOwnOrigin } from "./own-origin.ts";
import type { AdminRoute } from "./route.ts";

/** The operator of a request that needs no credentials, such as a sign-in. */
const ANONYMOUS_OPERATOR: Operator = { user: "console", session: null };

/** Bodies of other methods are ignored. */
const BODY_METHODS: ReadonlySet<string> = new Set(["post", "patch"]);

/** Authenticates, reads the request, calls the route, and adds its changes to the audit log. */
export function handleRoute(route: AdminRoute, service: AdminService): RequestHandler {
  const { engine, plans, logger } = service;
  const takesBody = BODY_METHODS.has(route.method);
  const segment = route.path.split("/").indexOf("{id}");
  return async (request, response) => {
    const exchange = exchangeOf(response);
    // a sign-in needs no credentials, but must come from the console's pages; checked before the body is read
    if (route.isPublic) requireOwnOrigin(request, ownOriginOf(request, service.origin));
    const operator = route.isPublic ? ANONYMOUS_OPERATOR : await service.authenticate(request);
    if (!route.isPublic) exchange.operator = operator.user;
    const id = segment === -1 ? "" : segmentOf(request.url, segment);
    const rawQuery = rawQueryOf(request.url);
    const body = takesBody && hasBody(request) ? await readJson(request) : undefined;
    const result = await recordChanges(engine, {
      work: (watched) => {
        const operations = localOperations(watched, plans);
        const call = {
          id,
          rawQuery,
          body,
          engine: watched,
          operations,
          service,
          operator,
          request,
        };
        return route.handle(call);
      },
      async announce(subjects) {
        const change = {
          command: route.command,
          subjects,
          user: operator.user,
          host: exchange.caller.address,
        };
        logger.info({ ...change, request_id: exchange.requestId }, "audit");
        await addToAuditLog(engine.audit, change);
      },
    }).catch((error: unknown) => {
      throw toAdminFailure(error);
    });
    send(response, result);
  };
}
