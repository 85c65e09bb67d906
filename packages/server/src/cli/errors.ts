import { messageOf } from "@snap/engine/internals";
import { isSnapError, AdminError, type AdminErrorCode } from "@snap/engine";
import { CommanderError } from "commander";
import { ConfigError } from "../config.ts";
import { FINDING_CHECKS, OperatorError } from "../operator-error.ts";

/** Exit codes of the command. */
export const EXIT_CODES = { ok: 0, failure: 1, usage: 2, interrupted: 130 } as const;

/** Error codes and their meanings, in addition to those of renders and `doctor`. */
export const FAILURE_CODES = {
  usage: "invalid command line, or a command that the configuration does not permit",
  configuration: "invalid variables; `mistakes` lists them",
  account_not_found: "no account has this id or email address",
  token_not_found: "no token has this id",
  batch_not_found: "no batch has this id",
  request_not_found: "no request in the history has this id",
  email_taken: "another account has this email address",
  invalid_value: "a value that is not accepted, such as an unknown plan",
  cannot_redeliver: "the batch's webhook cannot be sent",
  refused: "the command cannot be carried out for another reason",
  failed: "anything else, such as an unreachable storage",
} as const satisfies Readonly<Record<"usage" | "configuration" | "failed" | AdminErrorCode, string>>;

/** An invalid command line that commander cannot detect, or that the configuration rules out. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly advice: string | null;

  constructor(message: string, advice: string | null = null) {
    super(message);
    this.advice = advice;
  }
}

/** The output for an error, and its exit code. */
export interface Failure {
  readonly exitCode: number;
  /** For people. */
  readonly text: string;
  /** For programs: the JSON value of `error`. */
  readonly document: FailureDocument;
}

export interface FailureDocument {
  /** One of `FAILURE_CODES`, a code of `doctor`, or the code of a failed render. */
  readonly code: string;
  readonly message: string;
  readonly advice: string | null;
  /** One per mistake in an invalid configuration. */
  readonly mistakes?: readonly string[];
  /** For a failed render, such as `selector-unmatched`. */
  readonly notes?: readonly string[];
}

/** Returns `null` for help and version, which commander has already printed. */
export function explainFailure(error: unknown): Failure | null {
  if (error instanceof CommanderError) return explainCommanderError(error);
  const message = messageOf(error);
  if (error instanceof ConfigError) {
    const { mistakes } = error;
    const advice = "`snap-server serve --help` lists the variables";
    const document = { code: "configuration", message, advice, mistakes };
    return { exitCode: EXIT_CODES.usage, text: message, document };
  }
  if (error instanceof UsageError) return usageFailure(message, error.advice);
  if (error instanceof OperatorError) return explainOperatorError(error);
  if (error instanceof AdminError)
    return toFailure({ code: error.code, message, advice: error.advice }, EXIT_CODES.failure);
  if (isSnapError(error)) {
    const document = { code: error.code, message, advice: null, notes: error.notes };
    return { exitCode: EXIT_CODES.failure, text: `${error.code}: ${message}`, document };
  }
  return toFailure({ code: "failed", message, advice: null }, EXIT_CODES.failure);
}

/** A missing, unreadable or wrong secret key is a configuration error: a restart does not fix it. */
function explainOperatorError({ code, problem, advice }: OperatorError): Failure {
  const exitCode = FINDING_CHECKS[code] === "secret key" ? EXIT_CODES.usage : EXIT_CODES.failure;
  return toFailure({ code, message: problem, advice }, exitCode);
}

const HELP_ADVICE = "`snap-server --help` lists the commands";

function explainCommanderError({ code, exitCode, message }: CommanderError): Failure | null {
  if (exitCode === EXIT_CODES.ok) return null;
  if (code === "commander.help") return usageFailure("missing command", HELP_ADVICE);
  const text = message.replace(/^error: /, "").replaceAll("\n", " ");
  const hasNoSuggestion = code === "commander.unknownCommand" && !text.includes("Did you mean");
  return usageFailure(text, hasNoSuggestion ? HELP_ADVICE : null);
}

function usageFailure(message: string, advice: string | null): Failure {
  return toFailure({ code: "usage", message, advice }, EXIT_CODES.usage);
}

function toFailure(document: FailureDocument, exitCode: number): Failure {
  const { message, advice } = document;
  return { exitCode, text: advice === null ? message : `${message}; ${advice}`, document };
}
