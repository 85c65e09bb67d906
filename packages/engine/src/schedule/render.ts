import type { SnapParameters } from "@snap/protocol";
import { resolveTarget } from "../egress/resolve.ts";
import { SnapError } from "../errors.ts";
import type { RenderedFile, Renderer } from "../ports/renderer.ts";
import type { Resolver } from "../ports/resolver.ts";
import { blockedHost } from "../targets/check-target.ts";
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
 * @throws SnapError as `Scheduler.run` and `Renderer.render` do; `blocked_host` or `target_unreachable`.
 */
export function render(
  { scheduler, renderer, resolver, targets: policy }: RenderParts,
  parameters: SnapParameters,
  turn: SlotRequest,
): Promise<RenderedFile> {
  return scheduler.run(turn, async () => {
    const verdict = await resolveTarget({ url: parameters.url, policy, resolver });
    if (verdict === "blocked") throw blockedHost();
    if (verdict === "unresolved")
      throw new SnapError("target_unreachable", "The page's host name could not be resolved.");
    return renderer.render(parameters);
  });
}
