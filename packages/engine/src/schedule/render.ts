import type { SnapParameters } from "@snap/protocol";
import { resolveTarget, type RefusedHost } from "../egress/resolve.ts";
import type { UpstreamProxy } from "../egress/upstream-proxy.ts";
import { isSnapError, type SnapError } from "../errors.ts";
import { renderingTooLarge } from "../rendering-limit.ts";
import type { RenderedFile, Renderer, RenderOptions } from "../ports/renderer.ts";
import type { Resolver } from "../ports/resolver.ts";
import { blockedHost, resolverFailed, unresolvedHost } from "../targets/check-target.ts";
import type { TargetPolicy } from "../targets/policy.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Scheduler, SlotRequest } from "./scheduler.ts";

export interface RenderParts {
  readonly scheduler: Scheduler;
  readonly quarantine: Quarantine;
  readonly renderer: Renderer;
  readonly resolver: Resolver;
  readonly upstreamProxy: UpstreamProxy | null;
  readonly targets: TargetPolicy;
  readonly maxRenderingBytes: number;
  /** Whether every account always renders in an isolated browser. */
  readonly isolatesAccounts: boolean;
  readonly onQuarantined: (quarantined: QuarantinedAccount) => void;
}

/** An account that is in quarantine because one of its pages was ended. */
export interface QuarantinedAccount {
  readonly accountId: string;
  /** Why the page was ended: the message of the caller's error. */
  readonly reason: string;
  /** End of the quarantine, in milliseconds since the Unix epoch. */
  readonly endsAt: number;
}

/**
 * Waits for a slot, then renders. Checks the addresses of the target first; the egress proxy checks them again at each
 * connection.
 *
 * @throws SnapError as `Scheduler.run` and `Renderer.render` do; `blocked_host`, `target_unreachable`,
 * `upstream_error` if the resolver failed, or `render_failed` if the file is larger than `maxRenderingBytes`.
 */
export function render(
  parts: RenderParts,
  parameters: SnapParameters,
  slot: SlotRequest & Pick<RenderOptions, "requestId">,
): Promise<RenderedFile> {
  const { scheduler, renderer, resolver, upstreamProxy, targets: policy, maxRenderingBytes } = parts;
  return scheduler.run(slot, async () => {
    const refused = await resolveTarget({ url: parameters.url, policy, resolver, upstreamProxy });
    if (refused !== null) throw explain(refused);
    const { accountId, requestId } = slot;
    const isIsolated = parts.isolatesAccounts || parts.quarantine.has(accountId);
    try {
      const file = await renderer.render(parameters, { isolationKey: accountId, isIsolated, requestId });
      if (file.bytes.byteLength > maxRenderingBytes) throw renderingTooLarge(maxRenderingBytes);
      return file;
    } catch (error) {
      if (isSnapError(error) && error.pageEnded) quarantine(parts, accountId, error);
      throw error;
    }
  });
}

function quarantine(parts: RenderParts, accountId: string, { message }: SnapError): void {
  parts.onQuarantined({ accountId, reason: message, endsAt: parts.quarantine.add(accountId) });
}

function explain({ refusal, detail = "" }: RefusedHost): SnapError {
  if (refusal === "blocked") return blockedHost();
  return refusal === "unresolved" ? unresolvedHost(detail) : resolverFailed(detail);
}
