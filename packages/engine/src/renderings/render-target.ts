import type { CaptureParts } from "../capture-parts.ts";
import { resolveTarget } from "../egress/resolve-target.ts";
import { SnapError } from "../errors.ts";
import type { SnapParameters } from "../parameters/schemas.ts";
import type { RenderedFile } from "../ports/renderer.ts";
import { blockedHost } from "../target/require-target.ts";

/** What the name resolves to is judged here, and again by the egress proxy at each connection. */
export async function renderTarget(
  { resolver, renderer, targets: policy }: Pick<CaptureParts, "resolver" | "renderer" | "targets">,
  parameters: SnapParameters,
): Promise<RenderedFile> {
  const verdict = await resolveTarget({ url: parameters.url, policy, resolver });
  if (verdict === "blocked") throw blockedHost();
  if (verdict === "unresolved")
    throw new SnapError("target_unreachable", "The host name of the page could not be resolved.");
  return renderer.render(parameters);
}
