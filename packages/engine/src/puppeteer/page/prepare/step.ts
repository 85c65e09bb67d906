import type { PageToRender } from "../page-to-render.ts";

/**
 * A step between the load of a page and its capture. Resolves with notes for the caller. Does nothing, and sends no
 * command, if the parameters do not need it. Has its own time limit unless the render's is enough.
 */
export type Step = (page: PageToRender, signal: AbortSignal) => Promise<readonly string[]>;
