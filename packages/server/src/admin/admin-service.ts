import type { Engine, Plan } from "@snap/engine";
import type { AdminHealth } from "@snap/protocol";
import type { Request } from "express";
import type { Logger } from "pino";
import type { Operator } from "./authenticate.ts";

/** Dependencies of the admin API's routes. */
export interface AdminService {
  readonly engine: Engine;
  readonly logger: Logger;
  readonly plans: readonly Plan[];
  /** Origin of the console's pages; `null` takes it from each request. */
  readonly origin: string | null;
  /** @throws SnapError `unauthenticated` or `forbidden`. */
  readonly authenticate: (request: Request) => Promise<Operator>;
  readonly readHealth: () => Promise<AdminHealth>;
}
