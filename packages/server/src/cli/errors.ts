import { isSnapError } from "@snap/engine";
import { CommanderError } from "commander";
import { AdvisedError } from "../advised-error.ts";
import { ConfigError } from "../config.ts";
import { messageOf } from "../config/message-of.ts";

/** Exit codes of the command. */
export const EXIT_CODES = { ok: 0, failure: 1, usage: 2, interrupted: 130 } as const;

/** An invalid command line that commander itself cannot detect. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The output for an error, and its exit code. */
export interface Failure {
  readonly exitCode: number;
  /** For humans. */
  readonly text: string;
  /** For programs: the JSON value of `error`. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** Returns `null` for help and version, which commander has already printed. */
export function explainFailure(error: unknown): Failure | null {
  if (error instanceof CommanderError) return explainCommanderError(error);
  const message = messageOf(error);
  if (error instanceof ConfigError)
    return { exitCode: EXIT_CODES.usage, text: message, document: { message, mistakes: error.mistakes } };
  if (error instanceof UsageError)
    return { exitCode: EXIT_CODES.usage, text: message, document: { message } };
  if (error instanceof AdvisedError)
    return { exitCode: EXIT_CODES.failure, text: message, document: { code: error.code, message } };
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
