import { BUILT_IN_PLANS, type Engine, type Plan } from "@snap/engine";
import type { Express } from "express";
import type { Logger } from "pino";
import type { AdminProblem } from "@snap/protocol";
import type { AdminService } from "../admin/admin-service.ts";
import { createAuthentication } from "../admin/authenticate.ts";
import { handleRoute } from "../admin/handle-route.ts";
import { createHealthReader } from "../admin/health.ts";
import { adminDocument } from "../admin/openapi.ts";
import { ADMIN_BASE } from "../admin/route.ts";
import { ADMIN_ROUTES } from "../admin/routes/all-routes.ts";
import { json } from "../requests/response.ts";
import { addFixedResponse, addEndpoint, type Handlers } from "./add-endpoint.ts";
import { addConsole, type ConsoleSite } from "./console.ts";

/** Options of the admin API and the console. */
export interface AdminOptions {
  /** The console. The admin API accepts its sessions. `null`, the default, turns it off. */
  readonly console?: ConsoleSite | null;
  /** Bearer token of the admin API. `null`, the default, accepts none. */
  readonly token?: string | null;
  /** Origin of the console's pages. `null`, the default, takes it from each request. */
  readonly origin?: string | null;
  /** The engine's plans; by default, the built-in ones. */
  readonly plans?: readonly Plan[];
  /** Problems found at startup, for `/admin/v1/health`; none by default. */
  readonly problems?: readonly AdminProblem[];
  /** Whether a missing or old backup is a problem; `false` by default. */
  readonly expectsBackups?: boolean;
}

export interface AdminDependencies {
  readonly engine: Engine;
  readonly logger: Logger;
  readonly publicUrl: string;
  readonly checkHealth: Engine["health"];
}

/** Serves the admin API and the console. Serves neither if both `console` and `token` are `null`. */
export function addAdmin(
  app: Express,
  { engine, logger, publicUrl, checkHealth }: AdminDependencies,
  options: AdminOptions,
): void {
  const { console: site = null, token = null, origin = null, plans = BUILT_IN_PLANS } = options;
  if (site === null && token === null) return;
  const service: AdminService = {
    engine,
    logger,
    plans,
    origin,
    authenticate: createAuthentication(engine, { token, acceptsSessions: site !== null, origin }),
    readHealth: createHealthReader({ engine, checkHealth, ...options }),
  };
  const routes = ADMIN_ROUTES.filter(({ needsConsole }) => needsConsole !== true || site !== null);
  for (const [path, methods] of Map.groupBy(routes, (route) => route.path)) {
    const handlers = methods.map((route) => [route.method, handleRoute(route, service)] as const);
    addEndpoint(app, { path: patternOf(path), label: path }, Object.fromEntries(handlers) as Handlers);
  }
  const description = json(adminDocument(publicUrl, routes), { cacheControl: "no-cache" });
  addFixedResponse(app, { path: `${ADMIN_BASE}/openapi.json` }, description);
  if (site !== null) addConsole(app, site);
}

/** With a string path, an id that Express cannot decode would fail with `server_error`. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace("{id}", "[^/]+")}$`);
}
