import type { SnapParameters } from "@snap/protocol";

/** Shorter values are no secrets, and would turn a message into riddles. */
const SECRET_CHARACTERS_MIN = 4;

/** Replaces the values of `headers`, `cookies` and `basicAuth` in a text that a page's scripts could have put them in. */
export function redactSecrets(text: string, parameters: SnapParameters): string {
  const { headers = {}, cookies = [], basicAuth = "" } = parameters;
  const values = [
    ...Object.values(headers),
    ...cookies.map(({ value }) => value),
    basicAuth,
    basicAuth.slice(basicAuth.indexOf(":") + 1),
  ];
  return values
    .filter((value) => value.length >= SECRET_CHARACTERS_MIN)
    .toSorted((one, other) => other.length - one.length)
    .reduce((redacted, value) => redacted.replaceAll(value, "[redacted]"), text);
}
