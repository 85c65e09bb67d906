import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { canonicalQuery, signQuery, verifyQuery } from "../../src/index.ts";
import { SIGNED_URLS, type SignedUrlCase } from "./vectors.ts";

describe("signed URL vectors", () => {
  it("have unique names", () => {
    expect(SIGNED_URLS.length).toBeGreaterThanOrEqual(44);
    expect(new Set(SIGNED_URLS.map(({ name }) => name)).size).toBe(SIGNED_URLS.length);
  });

  it.each(SIGNED_URLS)("have the canonical form and the signature of their pairs: $name", (vector) => {
    const { pairs, canonical, string_to_sign, signature, signing_secret } = vector;
    expect(canonicalQuery(pairs)).toBe(canonical);
    expect(string_to_sign).toBe(`snap-signed-v1\n${canonical}`);
    expect(signQuery(pairs, signing_secret)).toBe(signature);
  });

  it.each(SIGNED_URLS)(
    "verify as sent, but not with an added parameter: $name",
    ({ pairs, query, signature, signing_secret }) => {
      expect([...new URLSearchParams(query)]).toEqual(pairs);
      const signed = new URLSearchParams(query);
      signed.append("signature", signature);
      expect(verifyQuery(signed, { signature, signingSecret: signing_secret })).toBe(true);
      signed.append("utm_source", "x");
      expect(verifyQuery(signed, { signature, signingSecret: signing_secret })).toBe(false);
    },
  );
});

describe("the example in docs/reference/specification.md", () => {
  it("is the vector named selector", () => {
    const path = new URL("../../../../docs/reference/specification.md", import.meta.url);
    const lines = new Set(readFileSync(path, "utf8").split("\n"));
    const vector = SIGNED_URLS.find(({ name }) => name === "selector");
    const { query = "", canonical = "", signature = "" } = vector ?? {};
    for (const shown of [query, canonical, signature]) expect(lines).toContain(`    ${shown}`);
  });
});

describe("sign.sh, an independent implementation", { tags: ["openssl"] }, () => {
  let signed: readonly string[] = [];
  beforeAll(() => {
    signed = signWithShell(SIGNED_URLS);
  });

  it.each(SIGNED_URLS.map((vector, index) => [vector.name, index, vector] as const))(
    "returns the same canonical query and signature: %s",
    (_name, index, { canonical, signature }) => {
      expect(signed.slice(2 * index, 2 * index + 2)).toEqual([canonical, signature]);
    },
  );
});

/**
 * Signs with sign.sh, which shares no code with the package: it needs a shell, coreutils, sed and openssl. Returns the
 * canonical query and the signature of each vector.
 */
function signWithShell(vectors: readonly SignedUrlCase[]): string[] {
  const script = fileURLToPath(new URL("sign.sh", import.meta.url));
  const inputs = vectors.map(({ signing_secret, pairs }) =>
    [hex(signing_secret), ...pairs.map(([name, value]) => `${hex(name)}=${hex(value)}`)].join("\n"),
  );
  const each = 'for input; do printf "%s\\n" "$input" | sh "$0"; done';
  const { stdout, stderr } = spawnSync("sh", ["-c", each, script, ...inputs], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.trimEnd().split("\n");
}

function hex(text: string): string {
  return Buffer.from(text).toString("hex");
}
