import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createClient, signUrl, type SignableInput } from "../src/index.ts";
import { TOKEN } from "./raw-server.ts";
import { openService } from "./service.ts";

const OPTIONS = { baseUrl: "https://snap.example.com/v1", tokenId: 7, signingSecret: "a signing secret" };
const PAGE = { url: "https://example.com/?q=a+b&c=ä" } as const;

describe("signUrl()", () => {
  it("returns the canonical query with its signature", () => {
    const canonical =
      "expires=1900000000&format=webp&tokenId=7&url=https%3A%2F%2Fexample.com%2F%3Fq%3Da%2Bb%26c%3D%C3%A4";
    const signature = createHmac("sha256", "a signing secret")
      .update(`snap-signed-v1\n${canonical}`)
      .digest("hex");
    expect(signUrl({ ...PAGE, format: "webp" }, { ...OPTIONS, expires: 1_900_000_000 })).toBe(
      `https://snap.example.com/v1/snap/signed?${canonical}&signature=${signature}`,
    );
  });

  it("does not depend on the order of the parameters", () => {
    expect(signUrl({ ...PAGE, fullPage: true, format: "webp" }, OPTIONS)).toBe(
      signUrl({ format: "webp", fullPage: true, ...PAGE }, OPTIONS),
    );
  });

  it("accepts expires as a Date or as Unix seconds", () => {
    const url = new URL(signUrl(PAGE, { ...OPTIONS, expires: new Date("2030-03-17T17:46:40.999Z") }));
    expect(url.searchParams.get("expires")).toBe("1900000000");
  });

  it("returns the same URL as a client with that token", () => {
    const snap = createClient({
      baseUrl: "https://snap.example.com",
      token: TOKEN,
      signingSecret: OPTIONS.signingSecret,
    });
    expect(snap.signUrl(PAGE, { expires: 1_900_000_000 })).toBe(
      signUrl(PAGE, { ...OPTIONS, expires: 1_900_000_000 }),
    );
  });

  it("returns URLs that the service renders as an image or a PDF", async () => {
    const service = await openService();
    const { tokenId, signingSecret } = await service.customer();
    const sign = (input: SignableInput): string =>
      signUrl(input, { baseUrl: service.baseUrl, tokenId, signingSecret, expires: new Date("2026-04-01") });
    const image = await fetch(sign({ ...PAGE, width: 800.5, height: 600 }));
    expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/png"]);
    const pdf = await fetch(sign({ ...PAGE, pdf: true, scale: 0.75 }));
    expect([pdf.status, pdf.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    const quoted = await fetch(sign({ ...PAGE, hideSelectors: "a[href='x'], .md\\:flex" }));
    expect(quoted.status).toBe(200);
    const tampered = await fetch(`${sign(PAGE)}&utm_source=mail`);
    expect(tampered.status).toBe(403);
  });

  it("throws for parameters that the service would reject", () => {
    const invalid = { ...PAGE, quality: 80 } as unknown as SignableInput;
    expect(() => signUrl(invalid, OPTIONS)).toThrow(
      expect.objectContaining({
        name: "SnapError",
        code: "validation_failed",
        status: 422,
        errors: { quality: [expect.any(String)] },
      }),
    );
    const withExpires = { ...PAGE, expires: 1_900_000_000 } as unknown as SignableInput;
    expect(() => signUrl(withExpires, OPTIONS)).toThrow("expires is not a parameter");
  });

  it.each([
    ["headers", { "X-Preview": "s3cr3t" }],
    ["cookies", [{ name: "session", value: "s3cr3t" }]],
    ["basicAuth", "ada:s3cr3t"],
  ])("throws for %s, which anyone could read in the URL", (name, value) => {
    const message =
      "cannot be part of a signed URL, because anyone can read it; send the request with a token instead";
    const input = { ...PAGE, [name]: value } as unknown as SignableInput;
    expect(() => signUrl(input, OPTIONS)).toThrow(
      expect.objectContaining({ code: "validation_failed", status: 422, errors: { [name]: [message] } }),
    );
  });

  it("throws if the URL would be longer than servers accept", () => {
    // a space takes three characters in a signed URL
    const longest = { ...PAGE, css: "a".repeat(600) + " ".repeat(19_400) } as const;
    expect(signUrl(longest, OPTIONS).length).toBeLessThan(60_000);
    for (const css of ["é".repeat(20_000), " ".repeat(20_000)])
      expect(() => signUrl({ ...PAGE, css }, OPTIONS)).toThrow(
        expect.objectContaining({
          code: "validation_failed",
          status: 422,
          message: "The parameters are too long for a signed URL; send the request with a token instead.",
        }),
      );
  });

  it.for([
    [{ expires: 1_900_000_000_000 }, "expires, in Unix seconds, must be an integer from 1 to 40000000000."],
    [{ expires: 1.5 }, "expires, in Unix seconds, must be"],
    [{ expires: -1 }, "expires, in Unix seconds, must be"],
    [{ expires: new Date("never") }, "expires, in Unix seconds, must be"],
    [{ tokenId: 0 }, "tokenId must be an integer from 1 to"],
    [{ tokenId: "7" as unknown as number }, "tokenId must be an integer from 1 to"],
    [{ signingSecret: "" }, "signingSecret is missing"],
    [{ baseUrl: "snap.example.com" }, "baseUrl must look like"],
  ] as const)("rejects %o", ([options, message]) => {
    expect(() => signUrl(PAGE, { ...OPTIONS, ...options })).toThrow(message);
  });

  it.each(["expiresAt", "expiresIn"])("rejects %s, which would leave a URL without an expiry", (name) => {
    const snap = createClient({
      baseUrl: "https://snap.example.com",
      token: TOKEN,
      signingSecret: OPTIONS.signingSecret,
    });
    const misspelled: object = { [name]: 1_900_000_000 };
    for (const sign of [
      () => signUrl(PAGE, { ...OPTIONS, ...misspelled }),
      () => snap.signUrl(PAGE, misspelled),
    ])
      expect(sign).toThrow(
        expect.objectContaining({
          name: "SnapError",
          code: "misconfigured",
          message: `${name} is not an option.`,
        }),
      );
  });

  it("requires the client's signing secret", () => {
    const snap = createClient({ baseUrl: "https://snap.example.com", token: TOKEN });
    expect(() => snap.signUrl(PAGE)).toThrow(
      "signingSecret is missing; pass it, or set SNAP_SIGNING_SECRET.",
    );
  });
});
