import type { AuditLog } from "@snap/engine";
import type { AuditEntry } from "@snap/engine/ports";
import type { Command } from "commander";
import { hostname, userInfo } from "node:os";
import { addToAuditLog, type Change } from "../audit/record-changes.ts";
import { SETTINGS } from "../config/settings.ts";
import { readableLog } from "../operations/readable-log.ts";
import { createLogger } from "../operations/logger.ts";

let runningCommand = "";

/** Sets the command's name in the audit log: `tokens revoke`, without arguments, which may contain secrets. */
export function trackRunningCommand(program: Command): void {
  program.hook("preAction", (_program, action) => {
    const names: string[] = [];
    for (let command: Command | null = action; command?.parent; command = command.parent)
      names.unshift(command.name());
    runningCommand = names.join(" ");
  });
}

/** Describes what the running command changes: `subjects` are kinds and ids, such as `token 7`. */
export function describeChange(subjects: readonly string[]): Change {
  return { command: runningCommand, subjects, ...operator() };
}

/** Logs a change to stderr at the level `info`. */
export function logChange(change: Change): void {
  // written synchronously, because the process exits right afterwards
  const output = process.stderr.isTTY
    ? readableLog(process.stderr)
    : { write: (line: string) => void process.stderr.write(line) };
  createLogger(logLevel(), output).info(change, "audit");
}

/**
 * Logs a change, and adds it to the audit log.
 *
 * @throws Error if it cannot be stored; the change has already been made and logged.
 */
export async function announceChange(audit: AuditLog, subjects: readonly string[]): Promise<void> {
  const change = describeChange(subjects);
  logChange(change);
  await addToAuditLog(audit, change);
}

/** Read separately, because `migrate` reads only part of the configuration. Only there can the level be invalid. */
function logLevel(): string {
  const { variable, schema, default: defaultLevel } = SETTINGS.logLevel;
  return schema.safeParse(process.env[variable]).data ?? defaultLevel;
}

/** Who is running this process, and where. */
function operator(): Pick<AuditEntry, "user" | "host"> {
  return { user: findUser(), host: hostname() };
}

/** In a container, the user id may have no name. */
function findUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
