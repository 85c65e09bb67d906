import type { Command } from "commander";
import { describeVariables } from "../config.ts";
import { withJson } from "./admin.ts";
import { formatTable } from "./output.ts";
import type { ServeOptions } from "./serve.ts";

/** `snap-server serve`: runs the service. */
export function addServe(program: Command): void {
  withJson(program.command("serve"))
    .description("serve the API until SIGTERM, SIGHUP or Ctrl-C; logs are JSON lines on stdout")
    .option(
      "--dev",
      "for development: a demo page, an account with a token that every user of this machine can read, and human-readable logs",
    )
    .addHelpText("after", () => `\nVariables:\n${formatTable(describeVariables()).replaceAll(/^/gm, "  ")}`)
    .action(async (options: ServeOptions) => {
      // Loaded lazily: other commands do not need the HTTP server.
      const { serve } = await import("./serve.ts");
      await serve(options);
    });
}
