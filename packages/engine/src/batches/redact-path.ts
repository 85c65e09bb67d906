const REDACTED = "[path]";
/** Shorter segments and values are rarely secrets, and replacing them would make a response unreadable. */
const SECRET_CHARACTERS_MIN = 8;

/**
 * Replaces the path and query of a webhook's URL in a receiver's response, because they may contain secrets and
 * frameworks respond with "Cannot POST /path". Also replaces each of their longer parts, even if it is decoded, escaped
 * for HTML or JSON, in a different case, or cut off at the end of the text.
 */
export function redactPath(text: string, url: string): string {
  const forms = [...new Set(secretParts(new URL(url)).flatMap(formsOf))].toSorted(
    (left, right) => right.length - left.length,
  );
  const redacted = forms.reduce((rest, form) => rest.replace(anyCase(form), REDACTED), text);
  const cut = Math.max(0, ...forms.map((form) => cutCharacters(redacted, form)));
  return cut === 0 ? redacted : redacted.slice(0, -cut) + REDACTED;
}

function anyCase(form: string): RegExp {
  return new RegExp(form.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`), "gi");
}

function secretParts({ pathname, search }: URL): readonly string[] {
  const segments = pathname.split("/");
  const values = search
    .slice(1)
    .split("&")
    .map((pair) => pair.slice(pair.indexOf("=") + 1));
  return [
    ...[pathname + search, pathname, search].filter((part) => part.length > 1),
    ...[...segments, ...values].filter((part) => part.length >= SECRET_CHARACTERS_MIN),
  ];
}

function formsOf(part: string): readonly string[] {
  return [part, decode(part), decode(part.replaceAll("+", " "))].flatMap((form) => [
    form,
    escapeHtml(form),
    JSON.stringify(form).slice(1, -1),
    form.replaceAll("/", String.raw`\/`),
  ]);
}

/** Unlike `decodeURIComponent`, leaves invalid UTF-8 unchanged. */
function decode(part: string): string {
  return part.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes;
    }
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Returns how many characters of the form the text ends with, if it was truncated within the form; otherwise 0. */
function cutCharacters(text: string, form: string): number {
  const [end, start] = [text.toLowerCase(), form.toLowerCase()];
  const longest = Math.min(text.length, form.length - 1);
  for (let count = longest; count >= SECRET_CHARACTERS_MIN; count -= 1)
    if (end.endsWith(start.slice(0, count))) return count;
  return 0;
}
