import { isSnapError } from "@snap/engine";
import { CommanderError } from "commander";
import { ConfigError } from "../config.ts";
import { messageOf } from "../config/message-of.ts";

/** How the command ends: 0 when it did what it was asked. */
export const EXIT_CODES = { ok: 0, failure: 1, usage: 2, interrupted: 130 } as const;

/** The command line itself is at fault, in a way that only the command can tell. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What is told of an error, and the exit code that goes with it. */
export interface Failure {
  readonly exitCode: number;
  /** For people. */
  readonly text: string;
  /** For programs: the value of `error`. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** `null` when there is nothing to tell: help and version were asked for, and are printed. */
export function explainFailure(error: unknown): Failure | null {
  if (error instanceof CommanderError) return explainCommanderError(error);
  const message = messageOf(error);
  if (error instanceof ConfigError)
    return { exitCode: EXIT_CODES.usage, text: message, document: { message, mistakes: error.mistakes } };
  if (error instanceof UsageError)
    return { exitCode: EXIT_CODES.usage, text: message, document: { message } };
  const { code } = isSnapError(error) ? error : {};
  return {
    exitCode: EXIT_CODES.failure,
    text: code === undefined ? message : `${code}: ${message}`,
    document: code === undefined ? { message } : { code, message },
  };
}

function explainCommanderError({ code, exitCode, message }: CommanderError): Failure | null {
  if (exitCode === EXIT_CODES.ok) return null;
  const text =
    code === "commander.help"
      ? "missing command; `snap-server --help` lists the commands"
      : message.replace(/^error: /, "").replaceAll("\n", " ");
  return { exitCode: EXIT_CODES.usage, text, document: { message: text } };
}
