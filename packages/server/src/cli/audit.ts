import type { AuditEntry } from "@snap/engine/ports";
import type { Command } from "commander";
import { printable } from "../operations/printable.ts";
import { withAdminEngine, withJson } from "./admin.ts";
import { formatInstant } from "../format.ts";
import { formatTable, printJson, printLines } from "./output.ts";
import { parseDuration, type NumberOrNone } from "./values.ts";

interface AuditOptions {
  readonly since?: NumberOrNone;
  readonly json?: true;
}

/** `snap-server audit`: shows what operators changed. */
export function addAudit(program: Command): void {
  withJson(program.command("audit"))
    .description(
      "show what operators changed with commands or in the console, when, and who they were; oldest first",
    )
    .option(
      "--since <duration>",
      "only changes within this time, such as 30d, 12h or 30m; by default, all that are stored (at most 400 days)",
      parseDuration,
    )
    .action(showAudit);
}

function showAudit({ since = "none", json }: AuditOptions): Promise<void> {
  return withAdminEngine(async ({ engine }) => {
    const entries = await engine.audit.list({ withinMs: since === "none" ? Infinity : since });
    if (json) return printJson(entries.map(toDocument));
    if (entries.length === 0)
      return printLines(since === "none" ? "The audit log is empty." : "No changes in that time.");
    printLines(
      formatTable([
        ["AT", "COMMAND", "CHANGED", "USER", "HOST"],
        ...entries.map(({ at, command, subjects, user, host }) => [
          formatInstant(at, ""),
          command,
          subjects.join(", "),
          printable(user),
          printable(host),
        ]),
      ]),
    );
  });
}

function toDocument({ at, ...entry }: AuditEntry): Readonly<Record<string, unknown>> {
  return { at: new Date(at).toISOString(), ...entry };
}
