/** A cookie to set before a page loads. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** By default, only the host of `url` receives the cookie. */
  readonly domain?: string | undefined;
  /** `/` by default. */
  readonly path?: string | undefined;
  /** By default, whether `url` starts with `https://`. */
  readonly secure?: boolean | undefined;
  /** Whether scripts cannot read it; `false` by default. */
  readonly httpOnly?: boolean | undefined;
  readonly sameSite?: "Strict" | "Lax" | "None" | undefined;
}

const COOKIES_MAX = 20;

export const COOKIES_SCHEMA: Readonly<Record<string, unknown>> = {
  type: "array",
  minItems: 1,
  maxItems: COOKIES_MAX,
  items: {
    type: "object",
    additionalProperties: false,
    required: ["name", "value"],
    properties: {
      name: { type: "string", minLength: 1 },
      value: { type: "string" },
      domain: { type: "string" },
      path: { type: "string", pattern: "^/" },
      secure: { type: "boolean" },
      httpOnly: { type: "boolean" },
      sameSite: { enum: ["Strict", "Lax", "None"] },
    },
  },
};

/** RFC 6265, 4.1.1, as browsers read it: values may contain spaces, quotes, commas and backslashes. */
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
const VALUE = /^[\x20-\x3a\x3c-\x7e]*$/;
const DOMAIN = /^\.?[a-z0-9-]+(\.[a-z0-9-]+)*$/i;
const PATH = /^\/[\x21-\x3a\x3c-\x7e]*$/;

/** The members in canonical order, and what each must be. */
const MEMBERS: Readonly<Record<keyof Cookie, (value: unknown) => boolean>> = {
  name: (value) => typeof value === "string" && NAME.test(value),
  value: (value) => typeof value === "string" && VALUE.test(value),
  domain: (value) => value === undefined || (typeof value === "string" && DOMAIN.test(value)),
  path: (value) => value === undefined || (typeof value === "string" && PATH.test(value)),
  secure: (value) => value === undefined || typeof value === "boolean",
  httpOnly: (value) => value === undefined || typeof value === "boolean",
  sameSite: (value) => value === undefined || value === "Strict" || value === "Lax" || value === "None",
};

/** Returns the cookies with their members in a fixed order, or `null` if they are invalid. */
export function canonicalCookies(value: unknown): readonly Cookie[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > COOKIES_MAX) return null;
  const cookies = (value as unknown[]).map(canonicalCookie);
  return cookies.every((cookie) => cookie !== null) ? cookies : null;
}

function canonicalCookie(value: unknown): Cookie | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const sent = value as Readonly<Record<string, unknown>>;
  if (!Object.keys(sent).every((name) => Object.hasOwn(MEMBERS, name))) return null;
  const members = Object.entries(MEMBERS);
  if (!members.every(([name, isValid]) => isValid(sent[name]))) return null;
  const present = members.filter(([name]) => sent[name] !== undefined);
  return Object.fromEntries(present.map(([name]) => [name, sent[name]])) as unknown as Cookie;
}

/**
 * Returns whether a host may set a cookie for a domain (RFC 6265, 5.1.3). The browser refuses public suffixes.
 *
 * @example
 * isDomainOf("example.com", "www.example.com"); // true
 */
export function isDomainOf(domain: string, hostname: string): boolean {
  const suffix = domain.toLowerCase().replace(/^\./, "");
  return hostname === suffix || (hostname.endsWith(`.${suffix}`) && !/^[\d.]+$/.test(hostname));
}
