import { messageOf } from "../../config/message-of.ts";

/** The result of one check. */
export interface Finding {
  readonly name: string;
  readonly status: "ok" | "warning" | "problem";
  readonly message: string;
  /** How to fix it. */
  readonly advice?: string;
}

export function ok(name: string, message: string): Finding {
  return { name, status: "ok", message };
}

/** It works, with a restriction. */
export function warning(name: string, message: string, advice: string): Finding {
  return { name, status: "warning", message, advice };
}

/** It does not work. */
export function problem(name: string, message: string, advice: string): Finding {
  return { name, status: "problem", message, advice };
}

/** First line of the message of an error. */
export function reasonOf(error: unknown): string {
  return messageOf(error).split("\n", 1)[0] ?? "";
}
