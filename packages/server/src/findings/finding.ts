import { messageOf } from "@snap/engine/internals";
import { FINDING_CHECKS, type FindingCode, type OperatorError } from "../operator-error.ts";

/** The result of one check. */
export interface Finding {
  /** Name of the check. */
  readonly name: string;
  readonly status: "ok" | "warning" | "problem";
  /** What is wrong, for programs; `ok` if nothing is. */
  readonly code: FindingCode | "ok";
  readonly message: string;
  /** How to fix it. */
  readonly advice?: string;
}

export function ok(name: string, message: string): Finding {
  return { name, status: "ok", code: "ok", message };
}

/** The service works, but something should be fixed. */
export function warning(code: FindingCode, message: string, advice: string): Finding {
  return { name: FINDING_CHECKS[code], status: "warning", code, message, advice };
}

/** The service, or a part of it, does not work. */
export function problem(code: FindingCode, message: string, advice: string): Finding {
  return { name: FINDING_CHECKS[code], status: "problem", code, message, advice };
}

/** A warning of `readConfig`. */
export function suspiciousVariable(message: string): Finding {
  return warning("configuration_suspicious", message, "unset it, or correct its name");
}

/** Errors that the service resolves itself when it starts: it migrates an older schema, and creates the tables. */
const RESOLVED_AT_START: ReadonlySet<FindingCode> = new Set(["schema_older", "database_empty"]);

export function findingOf({ code, problem: message, advice }: OperatorError): Finding {
  return RESOLVED_AT_START.has(code) ? warning(code, message, advice) : problem(code, message, advice);
}

/** First line of an error's message. */
export function reasonOf(error: unknown): string {
  return messageOf(error).split("\n", 1)[0] ?? "";
}
