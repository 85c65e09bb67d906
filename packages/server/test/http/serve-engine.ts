import type { Engine } from "@snap/engine";
import { startService, type Service, type ServiceOptions } from "../../src/http/service.ts";
import { createLogger } from "../../src/operations/logger.ts";

/** Starts the service on a free port of the loopback interface, without logs and metrics. */
export function serveEngine(engine: Engine, options: Partial<ServiceOptions> = {}): Promise<Service> {
  return startService({
    engine,
    host: "127.0.0.1",
    port: 0,
    publicUrl: "https://snap.example.com",
    logger: createLogger("silent"),
    metrics: false,
    ...options,
  });
}
