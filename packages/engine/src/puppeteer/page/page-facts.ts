import { LIMITS } from "@snap/protocol";
import type { PageFacts } from "../../ports/renderer.ts";
import { storableText } from "../../storable-text.ts";
import { giveUpAfter } from "../../timeouts.ts";
import { evaluate } from "./evaluate.ts";
import type { Tab } from "./tab.ts";

/**
 * Control characters, line separators, and format characters other than the two joiners, which
 * Persian words and emoji need.
 */
const INVISIBLE_CHARACTERS = /(?:(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}])+/gu;
/** Soft hyphens and other characters without a width, which can be in a word. */
const ZERO_WIDTH_CHARACTERS = /[\u00AD\u200B\u2060\uFEFF]/g;
const TITLE_MAX_CHARACTERS = 500;
const TITLE_MAX_MS = 1_000;

/** An expression for the document's title, which cannot be returned with lone surrogates. */
export const TITLE = `document.title.slice(0, ${TITLE_MAX_CHARACTERS}).toWellFormed()`;

/** Returns the document's title; an empty one if it cannot be read in time. */
export async function readTitle(tab: Tab, signal: AbortSignal): Promise<string> {
  const limit = { signal, durationMs: TITLE_MAX_MS, otherwise: "" };
  try {
    return await giveUpAfter(limit, (stepSignal) => evaluate<string>(tab, TITLE, stepSignal));
  } catch {
    signal.throwIfAborted();
    return "";
  }
}

/** @param title - Empty if there is none. */
export function pageFacts(
  { progress }: Pick<Tab, "progress">,
  { title, pages }: { readonly title: string; readonly pages: number | null },
): PageFacts {
  const visible = title.replace(ZERO_WIDTH_CHARACTERS, "").replace(INVISIBLE_CHARACTERS, " ");
  const text = storableText(visible).slice(0, TITLE_MAX_CHARACTERS).trim();
  return { title: text === "" ? null : text, finalUrl: publicUrl(progress.documentUrl), pages };
}

/** Returns the URL without user name and password; `null` if it is too long, or neither `http` nor `https`. */
function publicUrl(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  url.username = "";
  url.password = "";
  return url.href.length <= LIMITS.urlCharacters ? url.href : null;
}
