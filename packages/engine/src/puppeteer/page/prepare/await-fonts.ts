import { GLYPHS_MISSING } from "../../../ports/renderer.ts";
import { giveUpAfter } from "../../../timeouts.ts";
import { evaluate } from "../evaluate.ts";
import { NEXT_FRAME } from "../in-page.ts";
import { HAS_MISSING_GLYPHS } from "./missing-glyphs.ts";
import type { Step } from "./step.ts";

const FONTS_MAX_MS = 2_000;
/** Longer than the limit in the page, so it applies only if the page is not responding. */
const STEP_MAX_MS = FONTS_MAX_MS + 1_000;

/**
 * Text is invisible while its font is loading. A font that does not arrive in time is replaced with its fallback.
 */
const AWAIT_FONTS = `(async () => {
  const end = performance.now() + ${FONTS_MAX_MS};
  const { fonts } = document;
  ${NEXT_FRAME}
  while (fonts.status === "loading" && performance.now() < end) await nextFrame();
  for (const font of fonts) if (font.status === "loading") font.display = "swap";
  return ${HAS_MISSING_GLYPHS};
})()`;

/** If a parameter changes the page, waits for its fonts and looks for text that no font can display. */
export const awaitFonts: Step = async ({ tab, changes }, signal) => {
  if (!changes.hasAny) return [];
  const limit = { signal, durationMs: STEP_MAX_MS, otherwise: false };
  const isMissing = await giveUpAfter(limit, (stepSignal) => evaluate<boolean>(tab, AWAIT_FONTS, stepSignal));
  return isMissing ? [GLYPHS_MISSING] : [];
};
