import { canonicalCookies, COOKIES_CHARACTERS_MAX, COOKIES_SCHEMA, COOKIES_SYNTAX } from "../cookies.ts";
import { canonicalHeaders, HEADERS_SCHEMA, HEADERS_SYNTAX, RESERVED_FIELDS } from "../header-fields.ts";
import { BOTH, type Row } from "../row.ts";

export const ACCESS_ROWS: readonly Row[] = [
  {
    name: "headers",
    modes: BOTH,
    kind: "json",
    isSecret: true,
    maxCharacters: 4096,
    syntax: HEADERS_SYNTAX,
    valueType: "Readonly<Record<string, string>>",
    schema: HEADERS_SCHEMA,
    canonicalize: canonicalHeaders,
    description: `Header fields to send only to the origin of \`url\`. Not allowed: \`${RESERVED_FIELDS.join("`, `")}\`. Not in signed URLs.`,
    example: { "X-Preview": "secret" },
  },
  {
    name: "cookies",
    modes: BOTH,
    kind: "json",
    isSecret: true,
    maxCharacters: COOKIES_CHARACTERS_MAX,
    syntax: COOKIES_SYNTAX,
    valueType: "readonly Cookie[]",
    schema: COOKIES_SCHEMA,
    canonicalize: canonicalCookies,
    description:
      "Cookies to set before the page loads: `name` and `value`, and optionally `domain`, `path`, `secure`, `httpOnly` and `sameSite`. By default, only the host of `url` receives them. Not in signed URLs.",
    example: [{ name: "session", value: "secret" }],
  },
  {
    name: "basicAuth",
    modes: BOTH,
    kind: "text",
    isSecret: true,
    maxCharacters: 256,
    syntax: "user:password",
    placeholder: "user:password",
    // RFC 7617, 2: the user name has no colon, and neither part has control characters
    // oxlint-disable-next-line no-control-regex -- the pattern excludes control characters
    canonicalize: (text) => (/^[^:\u0000-\u001f\u007f]*:[^\u0000-\u001f\u007f]*$/.test(text) ? text : null),
    description:
      "User name and password for HTTP basic authentication, sent only to the origin of `url`. Not in signed URLs.",
    example: "user:password",
  },
];
