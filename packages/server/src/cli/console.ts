import type { Command } from "commander";
import { isoInstant } from "../admin/json-bodies.ts";
import { createSignInLink } from "../admin/sign-in-link.ts";
import type { Config } from "../config.ts";
import { withAdminEngine, withJson } from "./admin.ts";
import { UsageError } from "./errors.ts";
import { formatInstant } from "../format.ts";
import { printJson, printLines, warn } from "./output.ts";
import { serviceOrigin } from "../served-address.ts";

interface ConsoleOptions {
  readonly signOutAll?: true;
  readonly json?: true;
}

/** `snap-server console`: prints a sign-in link, or signs all operators out. */
export function addConsole(program: Command): void {
  withJson(program.command("console"))
    .description("print a sign-in link for the console, which works once and expires after ten minutes")
    .option("--sign-out-all", "end all sessions and unused links instead")
    .addHelpText(
      "after",
      `
The console must be enabled: set SNAP_CONSOLE=on, or start the service with --dev. A session lasts twelve hours.`,
    )
    .action(({ signOutAll, json }: ConsoleOptions) => (signOutAll ? endSessions : printLink)(json === true));
}

function printLink(json: boolean): Promise<void> {
  return withAdminEngine(async ({ config, engine }) => {
    const publicUrl = await requireConsoleUrl(config);
    const { url, expiresAt } = await createSignInLink(engine, publicUrl);
    if (json) return printJson({ url, expires_at: isoInstant(expiresAt) });
    printLines(`Open this link in a browser. It works once, until ${formatInstant(expiresAt, "")}:`, "", url);
  });
}

/** @throws UsageError if the console is off, or its address is unknown. */
async function requireConsoleUrl(config: Config): Promise<string> {
  if (config.console === false)
    throw new UsageError("the console is off", "set SNAP_CONSOLE=on, and restart the service");
  const origin = await serviceOrigin(config);
  if (origin === null)
    throw new UsageError("the service's port is unknown", "set SNAP_PUBLIC_URL or SNAP_PORT");
  if (config.console === null)
    warn("SNAP_CONSOLE is not set: the link works only if the service's console is on");
  return origin;
}

function endSessions(json: boolean): Promise<void> {
  return withAdminEngine(async ({ engine }) => {
    const ended = await engine.operators.signOutAll();
    if (json) printJson({ ended });
    else printLines(`Sessions and unused links ended: ${ended}.`);
  });
}
