import { fromText, LIMITS, PAGE_NAMES, PARAMETER_TABLE, SECRET_NAMES, toQuery } from "@snap/protocol";
import { toHash } from "../routing/route.ts";
import { toParameters, type Form, type Parameters } from "./form.ts";

/** Returns the playground's route with these parameters, without secrets, because people share links. */
export function playgroundLink(parameters: Parameters): string {
  const shown = Object.entries(parameters)
    .filter(([name]) => !SECRET_NAMES.has(name))
    .map(([name, value]) => [name, name === "url" ? withoutCredentials(String(value)) : value]);
  return toHash(["playground"], toQuery(Object.fromEntries(shown)));
}

/** Returns the route of a form; `null` if it would be too long. */
export function linkOf(form: Form): string | null {
  const link = playgroundLink(toParameters(form));
  return link.length > LIMITS.queryCharacters ? null : link;
}

/** The service rejects a URL with a user name or password; the address must not contain them either. */
function withoutCredentials(url: string): string {
  return url.replace(/^(\s*(?:https?:|(?:[a-z][a-z\d+.-]*:)+(?=[\\/]))?[\\/\s]*)[^\\/?#]*@/i, "$1");
}

/** Reads a form from the query of its route. Ignores secrets and unknown parameters. */
export function readForm(query: URLSearchParams): Form {
  const values: Record<string, string> = {};
  for (const [name, text] of query) {
    const row = PARAMETER_TABLE.find((each) => each.name === name);
    const isContent = PAGE_NAMES.some((source) => source === name);
    if ((row === undefined && !isContent) || SECRET_NAMES.has(name)) continue;
    values[name] = row?.kind === "flag" ? String(fromText("flag", text)) : text;
  }
  const { pdf, ...others } = values;
  return {
    mode: pdf === "true" ? "pdf" : "screenshot",
    source: PAGE_NAMES.find((source) => others[source] !== undefined) ?? "url",
    values: others,
  };
}
