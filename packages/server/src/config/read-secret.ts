import { messageOf } from "@snap/engine/internals";
import { readFileSync } from "node:fs";

/** Returns the secret in a file, without trailing newlines, or what is wrong with the file. */
export function readSecret(file: string): { readonly value: string } | { readonly problem: string } {
  try {
    const value = readFileSync(file, "utf8").replace(/[\r\n]+$/, "");
    return value === "" ? { problem: "must be the path of a file that is not empty" } : { value };
  } catch (error) {
    return { problem: `must be the path of a readable file: ${messageOf(error)}` };
  }
}
