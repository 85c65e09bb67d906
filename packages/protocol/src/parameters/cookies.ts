/** A cookie to set before a page loads. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** By default, only the host of `url` receives the cookie. */
  readonly domain?: string | undefined;
  /** `/` by default. */
  readonly path?: string | undefined;
  /** By default, `true` if `url` starts with `https://`. */
  readonly secure?: boolean | undefined;
  /** Whether to hide it from scripts; `false` by default. */
  readonly httpOnly?: boolean | undefined;
  readonly sameSite?: "Strict" | "Lax" | "None" | undefined;
}

const COOKIES_MAX = 20;
/** Maximum length of the canonical JSON text. */
export const COOKIES_CHARACTERS_MAX = 16_384;
const REQUIRED_MEMBERS: readonly string[] = ["name", "value"];
const SAME_SITE = ["Strict", "Lax", "None"];

/** The valid values of `cookies`, for messages. */
export const COOKIES_SYNTAX = `an array of at most ${COOKIES_MAX} cookies`;

export const COOKIES_SCHEMA: Readonly<Record<string, unknown>> = {
  type: "array",
  minItems: 1,
  maxItems: COOKIES_MAX,
  items: {
    type: "object",
    additionalProperties: false,
    required: REQUIRED_MEMBERS,
    properties: {
      name: { type: "string", minLength: 1 },
      value: { type: "string" },
      domain: { type: "string" },
      path: { type: "string", pattern: "^/" },
      secure: { type: "boolean" },
      httpOnly: { type: "boolean" },
      sameSite: { enum: SAME_SITE },
    },
  },
};

interface Member {
  readonly syntax: string;
  /** Returns the canonical value, or `null` if it is invalid. */
  readonly canonicalize: (value: unknown) => string | boolean | null;
}

const FLAG: Member = {
  syntax: "true or false",
  canonicalize: (value) => (typeof value === "boolean" ? value : null),
};

/** The members in canonical order. RFC 6265, 4.1.1, as browsers apply it: values can have spaces, quotes and commas. */
const MEMBERS: Readonly<Record<keyof Cookie, Member>> = {
  name: matching(/^[!#$%&'*+.^_`|~0-9a-z-]+$/i, "text without spaces or separators"),
  value: matching(/^[\x20-\x3a\x3c-\x7e]*$/, "printable ASCII text without semicolons"),
  domain: matching(/^\.?[a-z0-9-]+(\.[a-z0-9-]+)*$/i, "a host name"),
  path: matching(/^\/[\x21-\x3a\x3c-\x7e]*$/, "a path, such as / or /shop, without spaces or semicolons"),
  secure: FLAG,
  httpOnly: FLAG,
  sameSite: {
    syntax: "Strict, Lax or None",
    canonicalize: (value) =>
      (typeof value === "string" &&
        SAME_SITE.find((choice) => choice.toLowerCase() === value.toLowerCase())) ||
      null,
  },
};

function matching(pattern: RegExp, syntax: string): Member {
  return {
    syntax,
    canonicalize: (value) => (typeof value === "string" && pattern.test(value) ? value : null),
  };
}

/** Returns the cookies with their members in a fixed order, or what is wrong, without quoting a value. */
export function canonicalCookies(value: unknown): readonly Cookie[] | string {
  if (!Array.isArray(value)) return `must be ${COOKIES_SYNTAX}, as JSON`;
  if (value.length === 0) return "must not be empty; leave it out to send no cookies";
  if (value.length > COOKIES_MAX) return `must be at most ${COOKIES_MAX} cookies`;
  const cookies = (value as unknown[]).map(canonicalCookie);
  return cookies.find((cookie) => typeof cookie === "string") ?? (cookies as readonly Cookie[]);
}

function canonicalCookie(value: unknown, index: number): Cookie | string {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return `must have an object at index ${index}`;
  const sent = value as Readonly<Record<string, unknown>>;
  const unknownName = Object.keys(sent).find((name) => !Object.hasOwn(MEMBERS, name));
  if (unknownName !== undefined) {
    // a longer name, or one with other characters, may contain a value
    const label = /^\w{1,32}$/.test(unknownName) ? unknownName : "other members";
    return `must not have ${label} at index ${index}; a cookie has ${Object.keys(MEMBERS).join(", ")}`;
  }
  const cookie: Record<string, unknown> = {};
  for (const [name, { syntax, canonicalize }] of Object.entries(MEMBERS)) {
    const given = sent[name];
    if (given === undefined && !REQUIRED_MEMBERS.includes(name)) continue;
    // before the patterns: some overflow the stack on megabytes
    if (typeof given === "string" && given.length > COOKIES_CHARACTERS_MAX)
      return `must be at most ${COOKIES_CHARACTERS_MAX} characters of JSON`;
    const member = canonicalize(given);
    if (member === null) return `must have ${syntax} as ${name} at index ${index}`;
    cookie[name] = member;
  }
  return cookie as unknown as Cookie;
}

/**
 * Returns whether a host can set a cookie for a domain (RFC 6265, 5.1.3). The browser rejects public suffixes.
 *
 * @example
 * isDomainOf("example.com", "www.example.com"); // true
 */
export function isDomainOf(domain: string, hostname: string): boolean {
  const suffix = domain.toLowerCase().replace(/^\./, "");
  return hostname === suffix || (hostname.endsWith(`.${suffix}`) && !/^[\d.]+$/.test(hostname));
}
