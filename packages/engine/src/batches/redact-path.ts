const REDACTED = "[path]";
/** Shorter segments and values are rarely secrets, and replacing them would make a response unreadable. */
const SECRET_CHARACTERS_MIN = 8;

/**
 * Replaces the path and query of a webhook's URL in a receiver's response, because they may contain secrets and
 * frameworks respond with "Cannot POST /path". Also replaces each segment and query value of at least 8 characters,
 * even if it is decoded, escaped for HTML or JSON, in a different case, or cut off at the end of the text.
 */
export function redactPath(text: string, url: string): string {
  const forms = [...new Set(secretParts(new URL(url)).flatMap(formsOf))];
  const isSecret = new Uint8Array(text.length);
  markSecrets(unescapeText(text), forms, isSecret);
  // a part may itself look like an escape
  const offsets = Array.from({ length: text.length + 1 }, (_, index) => index);
  markSecrets({ plain: text, offsets }, forms, isSecret);
  let redacted = "";
  for (let index = 0; index < text.length; index += 1) {
    if (isSecret[index] === 0) redacted += text[index];
    else if (index === 0 || isSecret[index - 1] === 0) redacted += REDACTED;
  }
  return redacted;
}

/** A text to search. */
interface SearchText {
  readonly plain: string;
  /** Where each character of `plain` starts in the original text, and where the last one ends. */
  readonly offsets: readonly number[];
}

/** Marks every character of the original text that belongs to one of the forms. */
function markSecrets({ plain, offsets }: SearchText, forms: readonly string[], isSecret: Uint8Array): void {
  for (const form of forms)
    for (const { index } of plain.matchAll(anyCase(form)))
      isSecret.fill(1, offsets[index], offsets[index + form.length]);
  for (const whole of [plain, plain.replace(CUT_ESCAPE, "")]) {
    const cut = Math.max(0, ...forms.map((form) => cutFormLength(whole, form)));
    if (cut > 0) isSecret.fill(1, offsets[whole.length - cut]);
  }
}

/** The escapes of JSON (RFC 8259, 7) and those of HTML that frameworks use. */
const ESCAPE = /\\(?:u[0-9a-f]{4}|["\\/bfnrt])|&(?:#\d{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos);/gi;
/** The start of an escape at the end of a text that was cut off. */
const CUT_ESCAPE = /(?:\\(?:u[0-9a-f]{0,3})?|&[#0-9a-z]{0,8})$/i;

function unescapeText(source: string): SearchText {
  const offsets: number[] = [];
  let plain = "";
  let end = 0;
  const copyUntil = (index: number): void => {
    plain += source.slice(end, index);
    for (; end < index; end += 1) offsets.push(end);
  };
  for (const { index, 0: escape } of source.matchAll(ESCAPE)) {
    copyUntil(index);
    const character = unescape(escape.toLowerCase());
    plain += character;
    offsets.push(...Array.from({ length: character.length }, () => index));
    end += escape.length;
  }
  copyUntil(source.length);
  return { plain, offsets: [...offsets, source.length] };
}

const NAMED: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "\\b": "\b",
  "\\f": "\f",
  "\\n": "\n",
  "\\r": "\r",
  "\\t": "\t",
};

/** @param escape - In lower case. */
function unescape(escape: string): string {
  const named = NAMED[escape];
  if (named !== undefined) return named;
  const [, hex, decimal] = /^(?:\\u|&#x)([0-9a-f]+)|^&#(\d+)/.exec(escape) ?? [];
  if (hex === undefined && decimal === undefined) return escape.slice(1); // \" or \\ or \/
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code > 0x10_ff_ff ? escape : String.fromCodePoint(code);
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
  return [part, decode(part), decode(part.replaceAll("+", " "))];
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

/** Returns the length of the truncated form that the text ends with; 0 if it is below `SECRET_CHARACTERS_MIN`. */
function cutFormLength(text: string, form: string): number {
  const [end, start] = [text.toLowerCase(), form.toLowerCase()];
  const longest = Math.min(text.length, form.length - 1);
  for (let count = longest; count >= SECRET_CHARACTERS_MIN; count -= 1)
    if (end.endsWith(start.slice(0, count))) return count;
  return 0;
}
