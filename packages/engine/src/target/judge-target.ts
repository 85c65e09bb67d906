import { judgeHost } from "./judge-host.ts";
import { parseTarget } from "./parse-target.ts";
import type { TargetPolicy } from "./policy.ts";

/**
 * What the form of an address tells, before any look-up.
 * `ok`: nothing in it speaks against a look-up (a public literal, or a name).
 */
export type TargetVerdict = "ok" | "malformed" | "credentials" | "blocked";

/**
 * Judges an address by its form alone (interface.md, `url`; decisions.md, name resolution).
 *
 * @example
 * judgeTarget("https://example.com/", PUBLIC_TARGETS_ONLY); // "ok"
 * judgeTarget("http://0x7f.1/", PUBLIC_TARGETS_ONLY); // "blocked"
 */
export function judgeTarget(url: string, policy: TargetPolicy): TargetVerdict {
  const target = parseTarget(url);
  if (target === null) return "malformed";
  if (judgeHost({ ...target, policy }) === "blocked") return "blocked";
  return target.hasCredentials ? "credentials" : "ok";
}
