import { describe, expect, it } from "vitest";
import { createCacheKey } from "../../src/parameters/cache-key.ts";
import { parseParameters, parseQuery } from "../../src/parameters/parse.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { createSeal } from "../../src/tokens/seal.ts";

/** Pinned, because a change to the keys would cause every cached page to be rendered, and charged, again. */
const DIGESTS = [
  ["", "85c4f4017e687b3f7f85c988153e2687b0f4cc66a4390c79ca1f2199d4b67d8c"],
  ["a", "3439bc9951398f14e4998e264dc252b7d35236b6e31f4717cf9c6e71d267e882"],
  ["?b=1", "d1914a4d09405edf8a361e94f70790a8c6de4fbfacd9e2606e23bb34da5435a6"],
  ["&cacheTtl=60", "29ca6916356a8fc74d06625852179d744545e0fe6e83250df381f774d9586d67"],
  ["&fullPage=1", "9c0533b88d8ac4f961b980ef4c5e87d55d27ef7b73dbfa222e9287a82d503b4f"],
  ["&format=jpeg", "147e04bc5c32f2ca424a65e9b68bdd4fc0e6e338ff23b5ebca8669878a129461"],
  ["&format=webp&quality=50", "25b323df1ee0c3c6062b3eaeb546c3417986bde43d90667d453aec9ecc781e3f"],
  ["&width=390&height=844", "23ac1f95130afca150b76d35aa67749bfffa5efbb6eb36ee005b0b75787be7c3"],
  ["&scale=2", "be08c28c8f1b305d3182dcb4bb449d98bd69596f04eb6c7b1596b5821c46135d"],
  ["&delay=500", "2f101ca496eb5b4a4f3c098512dcf6835141cd5d9d9e6a1dd78f60560908f58d"],
  ["&selector=main", "b2c90cd6100cbf1f3035f290062b52ff4c1dcb0ef97753790f4ca2f16ff69365"],
  [
    "&clipX=0&clipY=0&clipWidth=100&clipHeight=100",
    "d1bc1d91e8db407a94b600a62c41f0ad19627f1d3918a38b0c4e44e1230ab4cc",
  ],
  ["&omitBackground=1", "4cad30d2321b8c8c300127bb86475790d7734a621a0b45e514b8f97e5e1faaca"],
  ["&waitForSelector=%23ready", "9e24213e544ee54f1bba75c6a810c1f70c7b8a82193ac261ad042a3cdbc936cc"],
  ["&waitUntil=load", "4ee1dd58b64a63eedcabe311ae97221086160a543b74ccbdde7ce2565f4b8f60"],
  ["&output=avif", "d74090cf6b7d740a3898f0360a410dcfab5e6e0a8a425b0c0cde4a5646eb2dab"],
  [
    "&resizeWidth=400&resizeHeight=300&resizeFit=cover&resizePosition=top",
    "f30569a6afe777029c07deaa396db8ae02e63eb3787de5d49b8a9a8d6137f401",
  ],
  ["&pdf=1", "8afe4421ce2205af99a8d3308fb3cdf1549fbe9688bc0c031411b201b7ad0a79"],
  ["&pdf=1&landscape=1", "d7d7c8b11d29783f5731b66639223df2ea36f585c62eecf7e42bcd3db0dd30df"],
  ["&pdf=1&paperFormat=letter", "9bbfac42f32989fca5d2ca648789005a9296ffe37334bd4045ee6593fd6330de"],
  [
    "&pdf=1&marginTop=1&marginRight=2&marginBottom=3&marginLeft=4&marginUnit=cm",
    "0d25cd991997f1810922abdb0efe0410bea45153a10cf41ce4ad0acf05008cd8",
  ],
  ["&pdf=1&pageRanges=5,1-3", "0b2839a431db520823104b314906bb43e6f5264b655482bbedc183a90ec3a79b"],
  [
    "&pdf=1&printBackground=0&outline=1&pdfTitle=A",
    "c3b31f4dc7a45c1b151ca3a11963758fc037e044bd872c0d7722fe8b979fa705",
  ],
  ["&pdf=1&scale=0.5", "c3e456181b1761448bfab18fedb80387a9ea13737af4dbf4bf85950c98da4234"],
] as const;

/** Also pinned. These keys include a keyed digest of the secret. */
const SECRET_DIGESTS = [
  [{ basicAuth: "ada:secret" }, "270383d8c1c42307ef204d17ce7298846cae769b57b569e8502bdae57b44c23a"],
  [
    { headers: { "X-Preview": "secret" } },
    "6827d96ccf6625613168a408008f5788acb3404cc7cc20dc5badba8781c805b3",
  ],
  [
    { cookies: [{ name: "session", value: "secret" }] },
    "63d9b8011f2aab5581f3a0f106545b74337ecca394eda9f689f45a84e4f65043",
  ],
] as const;

const cacheKey = createCacheKey({
  digest: () => {
    throw new Error("there is no secret to digest");
  },
});

const keyOf = (query: string): string =>
  cacheKey(parseQuery(new URLSearchParams(`url=https%3A%2F%2Fexample.com%2F${query}`)));

describe("cacheKey", () => {
  it.each([
    ["&fullPage=1&format=webp", "&format=webp&fullPage=true"],
    ["", "&format=png"],
    ["", "&fullPage=0"],
    ["", "&scale=1"],
    ["", "&waitUntil=networkidle2"],
    ["", "&cacheTtl=86400"],
    ["", "&cache=0"],
    ["&fullPage=true&format=webp", "&format=webp&fullPage=1&scale=1&waitUntil=networkidle2&cache=1"],
    ["&width=800.4&height=600", "&width=800&height=600"],
    ["&mask=a&maskColor=%23FFFFFF", "&mask=a&maskColor=%23ffffff"],
    ["&mask=a&maskColor=%23FF00FF", "&mask=a"],
    ["&output=avif&quality=50", "&output=avif"],
    ["&resizeWidth=9&resizeFit=inside", "&resizeWidth=9"],
    ["&resizeWidth=9&resizeFit=cover&resizePosition=center", "&resizeWidth=9&resizeFit=cover"],
    ["&hideSelectors=.md%5C:flex,[a=%27b%27]", "&hideSelectors=.md\\:flex%2C%5Ba='b'%5D"],
    ["a b", "a%20b"],
    ["a+b", "a%20b"],
    ["", "&width=1280&height=800"],
    ["&pdf=1", "&pdf=true&paperFormat=a4&marginUnit=mm&scale=1.0"],
  ])("of %j equals that of %j", (left, right) => {
    expect(keyOf(left)).toBe(keyOf(right));
  });

  it.each([
    ["", "&pdf=1"],
    ["", "&fullPage=1"],
    ["", "&cacheTtl=60"],
    ["", "&waitUntil=load"],
    ["", "&width=1280&height=801"],
    ["&delay=1", "&delay=2"],
    ["&format=webp&quality=50", "&format=webp"],
    ["&output=avif", "&output=avif&quality=51"],
    ["&resizeWidth=9", "&resizeHeight=9"],
    ["&resizeWidth=9", "&resizeWidth=9&resizeFit=cover"],
    ["&selector=a", "&waitForSelector=a"],
  ])("of %j differs from that of %j", (left, right) => {
    expect(keyOf(left)).not.toBe(keyOf(right));
  });

  it.each(DIGESTS)("of %j is always %s", (query, digest) => {
    expect(keyOf(query)).toBe(digest);
  });
});

describe("cacheKey with secrets", () => {
  const url = "https://example.com/";
  const keyedWith = (secretKey: string): ((sent: object) => string) => {
    const key = createCacheKey(createSeal(secretKey, systemRandom));
    return (sent) => key(parseParameters({ url, ...sent }));
  };
  const withSecrets = keyedWith("a key of some length");

  it.each(SECRET_DIGESTS)("of %j is always %s with the same secret key", (sent, digest) => {
    expect(withSecrets(sent)).toBe(digest);
  });

  it.each(SECRET_DIGESTS)("of %j differs with another secret key", (sent) => {
    expect(keyedWith("another key of some length")(sent)).not.toBe(withSecrets(sent));
  });

  it("differs between secrets, but does not depend on the order or case of fields", () => {
    expect(withSecrets({ basicAuth: "ada:other" })).not.toBe(withSecrets({ basicAuth: "ada:secret" }));
    expect(withSecrets({ headers: { "x-b": "2", "X-A": "1" } })).toBe(
      withSecrets({ headers: { "x-a": "1", "x-b": "2" } }),
    );
    expect(withSecrets({ cookies: [{ name: "a", value: "1", sameSite: "lax" }] })).toBe(
      withSecrets({ cookies: [{ sameSite: "Lax", value: "1", name: "a" }] }),
    );
  });
});
