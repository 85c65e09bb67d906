import type { SnapParameters } from "@snap/protocol";
import { resolveTarget, type UnusableHost } from "../egress/resolve.ts";
import type { UpstreamProxy } from "../egress/upstream-proxy.ts";
import type { SentDocument } from "../documents/document.ts";
import { openDocument, type DocumentDependencies } from "../documents/open-document.ts";
import { isSnapError, type SnapError } from "../errors.ts";
import { renderingTooLarge } from "../rendering-limit.ts";
import type { RenderedFile, Renderer, RenderOptions } from "../ports/renderer.ts";
import type { Resolver } from "../ports/resolver.ts";
import { blockedHost, resolverFailed, unresolvedHost } from "../targets/check-target.ts";
import type { TargetPolicy } from "../targets/policy.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Scheduler, SlotRequest } from "./scheduler.ts";

export interface RenderDependencies extends DocumentDependencies {
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

/** A render's request for a slot. */
export interface RenderSlotRequest extends SlotRequest, Pick<RenderOptions, "requestId"> {
  /** The page's document, if the request contains it. */
  readonly document: SentDocument | undefined;
}

/** An account that is in quarantine because one of its pages was ended, or killed an isolated browser. */
export interface QuarantinedAccount {
  readonly accountId: string;
  /** The message of the caller's error, such as why the page was ended. */
  readonly reason: string;
  /** End of the quarantine, in milliseconds since the Unix epoch. */
  readonly endsAt: number;
}

/**
 * Waits for a slot, then checks the target's addresses and renders. The egress proxy, if pages use one,
 * checks the addresses again for each connection. A document, stored or sent with the request, has no
 * addresses to check.
 *
 * @throws SnapError the errors of `Scheduler.run`, `openDocument` and `Renderer.render`, including those of reading the
 * document; `blocked_host`, `target_unreachable`, `upstream_error` if the resolver failed, or `render_failed` if the
 * file is larger than `maxRenderingBytes`.
 */
export function render(
  dependencies: RenderDependencies,
  parameters: SnapParameters,
  request: RenderSlotRequest,
): Promise<RenderedFile> {
  const { scheduler, renderer, resolver, upstreamProxy, targets: policy, maxRenderingBytes } = dependencies;
  return scheduler.run(request, async () => {
    const { url } = parameters;
    const { accountId, requestId, document: sent } = request;
    const document = await openDocument(dependencies, { url, accountId, sent });
    const failure = document === null ? await resolveTarget({ url, policy, resolver, upstreamProxy }) : null;
    if (failure !== null) throw explain(failure);
    const isIsolated = dependencies.isolatesAccounts || dependencies.quarantine.has(accountId);
    try {
      const served = document === null ? {} : { document };
      const options = { isolationKey: accountId, isIsolated, requestId, ...served };
      const file = await renderer.render(parameters, options);
      if (file.bytes.byteLength > maxRenderingBytes) throw renderingTooLarge(maxRenderingBytes);
      return file;
    } catch (error) {
      if (isSnapError(error) && error.pageEnded) quarantine(dependencies, accountId, error);
      throw error;
    }
  });
}

function quarantine(dependencies: RenderDependencies, accountId: string, { message }: SnapError): void {
  dependencies.onQuarantined({ accountId, reason: message, endsAt: dependencies.quarantine.add(accountId) });
}

function explain({ failure, detail = "" }: UnusableHost): SnapError {
  if (failure === "blocked") return blockedHost();
  return failure === "unresolved" ? unresolvedHost(detail) : resolverFailed(detail);
}
