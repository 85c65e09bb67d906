import type { SnapParameters } from "@snap/protocol";

/** Shorter values are not secrets, and replacing them would make messages unreadable. */
const SECRET_CHARACTERS_MIN = 4;

/** Replaces the values of `headers`, `cookies` and `basicAuth` in text that may come from a page's scripts. */
export function redactSecrets(text: string, parameters: SnapParameters): string {
  const { headers = {}, cookies = [], basicAuth = "" } = parameters;
  const values = [
    ...Object.values(headers),
    ...cookies.map(({ value }) => value),
    basicAuth,
    basicAuth.slice(basicAuth.indexOf(":") + 1),
    Buffer.from(basicAuth).toString("base64"), // as it is sent, and as a page may repeat it
  ];
  return values
    .filter((value) => value.length >= SECRET_CHARACTERS_MIN)
    .toSorted((left, right) => right.length - left.length)
    .reduce((redacted, value) => redacted.replaceAll(value, "[redacted]"), text);
}
