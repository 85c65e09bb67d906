import { PARAMETER_TABLE, type ParameterRow } from "@snap/protocol";
import fc from "fast-check";

/*
 * Arbitrary parameters from the table: valid values, values just out of range, values of other types, names from the
 * other mode, unknown names, and complete and incomplete groups.
 */

type Entry = readonly [string, unknown];

const SIZE = ["width", "height"];
const CLIP = ["clipX", "clipY", "clipWidth", "clipHeight"];
const MARGINS = ["marginTop", "marginRight", "marginBottom", "marginLeft"];

const junk = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, true, false, 0, 1, -0, 0.5, -1, 1e-7, 1e21, Number.NaN, Infinity),
  fc.constantFrom<unknown>("", "true", "1", "80", "png", "__proto__", [], [1], {}, 10n, new Date(0)),
  fc.double(),
  fc.string(),
);

// no blocked hosts and no invalid punycode: only the service checks those
const validUrl = fc.oneof(
  fc.constantFrom(
    "https://example.com/",
    "HTTP://EXAMPLE.com",
    "https://example.com:8080/a?b=c#d",
    "https://b\u00fccher.example/\u6f22",
    `https://example.com/${"\u{1f600}".repeat(2028)}`,
  ),
  fc.webUrl(),
);
const invalidUrl = fc.oneof(
  fc.constantFrom(
    "example.com",
    "ftp://example.com/",
    "https://",
    "https://exa mple.com/",
    "https:\\\\example.com",
    "https://example.com/\u0085",
    "https://example.com:99999/",
    "https://user:pass@example.com/",
    "https://user@example.com/",
    `https://example.com/${"x".repeat(2029)}`,
  ),
  fc.string().map((text) => `https://example.com:${text.replaceAll("@", "")}`),
);

const selector = fc.oneof(
  fc.constantFrom('a[href="x"]', "x".repeat(512), "\u{1f600}".repeat(512), "main"),
  fc.constantFrom("", "x".repeat(513), "a'b", "a\\b", "a\nb", "a\u009fb"),
);

/** Returns mostly valid values for the field. */
function arbitraryValue(field: ParameterRow): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case "url":
      return validUrl;
    case "json":
    case "text":
      return fc.oneof(fc.constantFrom<unknown>(field.example), fc.string());
    case "selector":
      return selector;
    case "flag":
      return fc.boolean();
    case "choice":
      return fc.constantFrom(...field.values);
    case "integer":
      return fc.oneof(
        fc.integer({ min: field.min, max: field.max }),
        fc.constantFrom(field.min, field.max, field.min - 1, field.max + 1, field.min + 0.5),
      );
    case "decimal":
    case "pixels":
      return fc.oneof(
        fc.double({ min: field.min, max: field.max, noNaN: true }),
        fc.constantFrom(field.min, field.max, field.min - 0.01, field.max + 0.4),
      );
  }
}

const fields = PARAMETER_TABLE.map((row) => [row.name, row] as const);

const oneParameter: fc.Arbitrary<Entry[]> = fc
  .constantFrom(...fields)
  .chain(([name, field]) => arbitraryValue(field).map((value) => [[name, value] as const]));

const junkParameter = fc
  .tuple(fc.constantFrom(...fields), junk)
  .map(([[name], value]) => [[name, value] as const]);

const unknownName = fc
  .oneof(
    fc.constantFrom("fulPage", "full_page", "paper-format", "FORMAT", "fullPage[]", "clip[x]", "signature"),
    fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty", "", "0"),
    fc.string(),
  )
  .map((name) => [[name, 1] as const]);

function group(names: readonly string[], max: number): fc.Arbitrary<Entry[]> {
  const side = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max }) }, junk);
  return fc
    .tuple(
      fc.shuffledSubarray([...names], { minLength: names.length - 1 }),
      fc.array(side, { minLength: 4, maxLength: 4 }),
    )
    .map(([sent, sides]) => sent.map((name, index) => [name, sides[index]] as const));
}

const extraEntries = fc.oneof(
  { weight: 6, arbitrary: oneParameter },
  { weight: 1, arbitrary: junkParameter },
  { weight: 1, arbitrary: unknownName },
  { weight: 1, arbitrary: group(SIZE, 12_000) },
  { weight: 1, arbitrary: group(CLIP, 400) },
  { weight: 1, arbitrary: group(MARGINS, 120) },
);

const urlParameter = fc.oneof(
  { weight: 8, arbitrary: validUrl.map((url): Entry[] => [["url", url]]) },
  { weight: 1, arbitrary: invalidUrl.map((url): Entry[] => [["url", url]]) },
  {
    weight: 1,
    arbitrary: junk.filter((url) => typeof url !== "string").map((url): Entry[] => [["url", url]]),
  },
  { weight: 1, arbitrary: fc.constant<Entry[]>([]) },
);

const mode = fc.constantFrom<Entry[]>([], [["pdf", true]], [["pdf", false]]);

/** Objects that a caller could pass as parameters, valid or invalid. */
export const arbitraryParameters: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc
  .tuple(urlParameter, mode, fc.array(extraEntries, { maxLength: 5 }))
  .map(([first, second, rest]) => Object.fromEntries([...first, ...second, ...rest.flat()]));
