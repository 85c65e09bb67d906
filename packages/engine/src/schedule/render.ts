import type { SnapParameters } from "@snap/protocol";
import { resolveTarget, type RefusedHost } from "../egress/resolve.ts";
import type { SnapError } from "../errors.ts";
import { renderingTooLarge } from "../rendering-limit.ts";
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
  readonly maxRenderingBytes: number;
}

/**
 * Waits for a slot, then renders. Checks the addresses of the target first; the egress proxy checks them again at each
 * connection.
 *
 * @throws SnapError as `Scheduler.run` and `Renderer.render` do; `blocked_host`, `target_unreachable`,
 * `upstream_error` if the resolver failed, or `render_failed` if the file is larger than `maxRenderingBytes`.
 */
export function render(
  { scheduler, renderer, resolver, targets: policy, maxRenderingBytes }: RenderParts,
  parameters: SnapParameters,
  turn: SlotRequest,
): Promise<RenderedFile> {
  return scheduler.run(turn, async () => {
    const refused = await resolveTarget({ url: parameters.url, policy, resolver });
    if (refused !== null) throw explain(refused);
    const file = await renderer.render(parameters);
    if (file.bytes.byteLength > maxRenderingBytes) throw renderingTooLarge(maxRenderingBytes);
    return file;
  });
}

function explain({ refusal, detail = "" }: RefusedHost): SnapError {
  if (refusal === "blocked") return blockedHost();
  return refusal === "unresolved" ? unresolvedHost() : resolverFailed(detail);
}
