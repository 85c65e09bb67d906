import { evaluate } from "../evaluate.ts";
import { invalidSelector } from "../measure.ts";
import { MATCHES_OF, ROOTS_OF } from "../in-page.ts";
import type { Tab } from "../tab.ts";
import { poll } from "./poll.ts";

/** What to wait for in the main frame. */
export interface MatchCondition {
  readonly selector: string;
  /** Whether to also search open shadow roots. */
  readonly inShadowRoots?: boolean;
  /** Source of a JavaScript function that receives the matching elements and returns whether the wait is over. */
  readonly isMet: string;
}

/**
 * Resolves once the elements matching a selector meet a condition.
 *
 * @throws SnapError if the selector is invalid, or if the page navigates to a URL that fails to load.
 */
export async function awaitMatch(
  tab: Tab,
  { selector, inShadowRoots = false, isMet }: MatchCondition,
  signal: AbortSignal,
): Promise<void> {
  const check = `(() => {
    ${ROOTS_OF} ${MATCHES_OF}
    const matches = matchesOf(${inShadowRoots ? "rootsOf(document)" : "[document]"}, ${JSON.stringify(selector)});
    return matches === null ? "invalid" : (${isMet})(matches);
  })()`;
  const condition = async (): Promise<boolean> => {
    const result = await evaluate<boolean | "invalid">(tab, check, signal);
    if (result === "invalid") throw invalidSelector(selector);
    return result;
  };
  await poll(tab, condition, signal);
}
