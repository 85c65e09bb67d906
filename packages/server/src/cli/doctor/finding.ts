import { messageOf } from "../../config/message-of.ts";

/** What a check of the machine came to. */
export interface Finding {
  readonly name: string;
  readonly status: "ok" | "warning" | "problem";
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
}

export function ok(name: string, message: string): Finding {
  return { name, status: "ok", message };
}

/** It works, but not as well as it could. */
export function warning(name: string, message: string, advice: string): Finding {
  return { name, status: "warning", message, advice };
}

/** It doesn't work. */
export function problem(name: string, message: string, advice: string): Finding {
  return { name, status: "problem", message, advice };
}

/** The first line of an error, for a finding. */
export function reasonOf(error: unknown): string {
  return messageOf(error).split("\n", 1)[0] ?? "";
}
