import type { SnapParameters } from "@snap/protocol";
import { resolveTarget, type RefusedHost } from "../egress/resolve.ts";
import type { SnapError } from "../errors.ts";
import type { RenderedFile, Renderer } from "../ports/renderer.ts";
import type { Resolver } from "../ports/resolver.ts";
import { blockedHost, resolverFailed, unresolvedHost } from "../targets/check-target.ts";
import type { TargetPolicy } from "../targets/policy.ts";
import type { Scheduler, SlotRequest } from "./scheduler.ts";

export interface RenderParts {
  readonly scheduler: Scheduler;
  readonly renderer: Renderer;
  readonly resolver: Resolver;
  readonly targets: TargetPolicy;
}

/**
 * Waits for a turn, and renders. What the name resolves to is judged here, and again by the egress proxy
 * at each connection.
 *
 * @throws SnapError as `Scheduler.run` and `Renderer.render` do; `blocked_host`, `target_unreachable`,
 * or `upstream_error` if the resolver failed.
 */
export function render(
  { scheduler, renderer, resolver, targets: policy }: RenderParts,
  parameters: SnapParameters,
  turn: SlotRequest,
): Promise<RenderedFile> {
  return scheduler.run(turn, async () => {
    const refused = await resolveTarget({ url: parameters.url, policy, resolver });
    if (refused !== null) throw explain(refused);
    return renderer.render(parameters);
  });
}

function explain({ refusal, detail = "" }: RefusedHost): SnapError {
  if (refusal === "blocked") return blockedHost();
  return refusal === "unresolved" ? unresolvedHost() : resolverFailed(detail);
}
