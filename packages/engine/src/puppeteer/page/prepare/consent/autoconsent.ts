import type { evalSnippets, filterCompactRules, IndexedCMPRuleset } from "@duckduckgo/autoconsent";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const PACKAGE = "@duckduckgo/autoconsent";

/**
 * The autoconsent functions that may run among the page's own scripts: those that detect or decline a dialog. The
 * package also has functions that accept a dialog, test the result or leave the page.
 */
export const ALLOWED_SNIPPETS: ReadonlySet<string> = new Set([
  "EVAL_AYLO_COOKIE_MANAGER_READY",
  "EVAL_BIGCOMMERCE_CONSENT_MANAGER_DETECT",
  "EVAL_CONSENTMANAGER_1",
  "EVAL_CONSENTMANAGER_2",
  "EVAL_CONSENTMANAGER_3",
  "EVAL_CONSENTMANAGER_NCMP_REJECT",
  "EVAL_COOKIEALERT_0",
  "EVAL_COOKIEBOT_1",
  "EVAL_COOKIEBOT_2",
  "EVAL_COOKIEBOT_3",
  "EVAL_COOKIEBOT_4",
  "EVAL_COOKIEFIRST_1",
  "EVAL_COOKIEINFORMATION_0",
  "EVAL_COOKIE_LAW_INFO_0",
  "EVAL_COOKIE_LAW_INFO_DETECT",
  "EVAL_DIDOMI_OPT_OUT",
  "EVAL_ETSY_0",
  "EVAL_ETSY_1",
  "EVAL_FIDES_DETECT_POPUP",
  "EVAL_GDPR_LEGAL_COOKIE_DETECT_CMP",
  "EVAL_KLARO_OPEN_POPUP",
  "EVAL_KLARO_TRY_API_OPT_OUT",
  "EVAL_MICROSOFT_0",
  "EVAL_MOOVE_0",
  "EVAL_OSANO_DETECT",
  "EVAL_TAKEALOT_0",
  "EVAL_TEALIUM_0",
  "EVAL_TEALIUM_1",
  "EVAL_TEALIUM_DONOTSELL",
  "EVAL_THEFREEDICTIONARY_0",
  "EVAL_USERCENTRICS_API_0",
  "EVAL_USERCENTRICS_API_1",
  "EVAL_USERCENTRICS_API_2",
  "EVAL_WAITROSE_0",
]);

/** The installed package. */
interface Autoconsent {
  /** Its script, a CommonJS module without dependencies. */
  readonly script: string;
  readonly rules: IndexedCMPRuleset;
  readonly filterRules: typeof filterCompactRules;
  readonly snippets: Partial<Record<string, (typeof evalSnippets)[keyof typeof evalSnippets]>>;
}

let installed: Autoconsent | null = null;

/** Read on first use, because most processes never need it. */
function autoconsent(): Autoconsent {
  if (installed !== null) return installed;
  const require = createRequire(import.meta.url);
  const library = require(PACKAGE) as {
    evalSnippets: Autoconsent["snippets"];
    filterCompactRules: typeof filterCompactRules;
  };
  installed = {
    script: readFileSync(require.resolve(PACKAGE), "utf8"),
    rules: require(`${PACKAGE}/rules/compact-rules.json`) as IndexedCMPRuleset,
    filterRules: library.filterCompactRules,
    snippets: library.evalSnippets,
  };
  return installed;
}

/** An expression for the module's exports. The package's messages to the console are discarded. */
export function autoconsentModule(): string {
  return `((module, console) => {
    ((exports) => {
      ${autoconsent().script}
    })(module.exports);
    return module.exports;
  })({ exports: {} }, new Proxy({}, { get: () => () => {} }))`;
}

/** The rules for a frame, as JSON. */
export function rulesFor(frame: { readonly url: string; readonly mainFrame: boolean }): string {
  const { rules, filterRules } = autoconsent();
  return JSON.stringify(filterRules(rules, frame));
}

/**
 * An expression that runs these functions among the page's own scripts and returns their results; `false` for those not
 * allowed.
 */
export function snippetCalls(ids: readonly string[]): string {
  const { snippets } = autoconsent();
  const calls = ids.map((id) => {
    const snippet = ALLOWED_SNIPPETS.has(id) ? snippets[id] : undefined;
    if (snippet === undefined) return "false";
    return `(() => { try { return !!(${String(snippet)})(); } catch { return false; } })()`;
  });
  return `[${calls.join(", ")}]`;
}
