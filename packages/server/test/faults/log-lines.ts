import { createLogger } from "../../src/operations/logger.ts";

/* Logs a line every 10 ms until SIGTERM, and writes a dot to stderr for each. */
const logger = createLogger("info");
setInterval(() => {
  logger.info("still running");
  process.stderr.write(".");
}, 10);
process.on("SIGTERM", () => process.exit(0));
