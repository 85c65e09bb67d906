import type { SnapParameters } from "@snap/protocol";
import type { TargetPolicy } from "../targets/policy.ts";

/** The note of a rendering whose wait was cut short, because the page never got idle (docs/decisions/rendering.md). */
export const WAIT_CAPPED = "wait-capped";

/** What a renderer hands back: the file itself and what is known of its making. */
export interface RenderedFile {
  readonly bytes: Uint8Array;
  readonly contentType: "image/png" | "image/jpeg" | "image/webp" | "application/pdf";
  /** HTTP status that the captured page answered; `null` for PDFs or when not known. */
  readonly targetStatus: number | null;
  /** Remarks for the caller, such as `wait-capped`. */
  readonly notes: readonly string[];
}

/** The state of a renderer, for readiness and for the operator. */
export interface RendererHealth {
  readonly ready: boolean;
  /** What is wrong, when it is not ready. */
  readonly reason: string | null;
}

/**
 * Turns parameters into a file. How many renders run at once is the scheduler's business; a renderer
 * only has to keep one from disturbing another.
 *
 * `render` throws a `SnapError` with one of `blocked_host`, `target_unreachable`, `render_failed`,
 * `render_timeout`, `upstream_error`, `upstream_rate_limited` or `upstream_quota_exceeded`.
 */
export interface Renderer {
  /** What it renders, where that is told; the engine judges by the same unless it is given others. */
  readonly targets?: TargetPolicy | undefined;
  render(parameters: SnapParameters): Promise<RenderedFile>;
  health(): Promise<RendererHealth>;
  /** Finishes nothing: ends what still runs and frees every process. */
  close(): Promise<void>;
}
