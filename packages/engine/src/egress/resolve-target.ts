import type { Resolver } from "../ports/resolver.ts";
import { parseTarget } from "../target/parse-target.ts";
import type { TargetPolicy } from "../target/policy.ts";
import { resolveHost } from "./resolve-host.ts";

/**
 * Judges a target with what its name resolves to now (decisions.md, name resolution). An early answer,
 * no boundary: the name may resolve otherwise a moment later, so whoever connects asks again.
 *
 * @example
 * await resolveTarget({ url: "http://127.0.0.1.nip.io/", policy, resolver }); // "blocked"
 */
export async function resolveTarget(request: {
  readonly url: string;
  readonly policy: TargetPolicy;
  readonly resolver: Resolver;
}): Promise<"ok" | "blocked" | "unresolved"> {
  const { url, policy, resolver } = request;
  const target = parseTarget(url);
  if (target === null) return "blocked";
  const outcome = await resolveHost({ ...target, policy, resolver });
  return typeof outcome === "string" ? outcome : "ok";
}
