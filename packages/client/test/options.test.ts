import { afterEach, describe, expect, it, vi } from "vitest";
import { createClient } from "../src/index.ts";
import { openRawServer, png, recordWaits, resetConnection, TOKEN } from "./raw-server.ts";

const PAGE = { url: "https://example.com/" } as const;
const OTHER_TOKEN = "8|AnotherSecretPartOfAToken";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe("the environment", () => {
  it("provides the options that are not passed", async () => {
    const { origin, requests } = await openRawServer(png);
    vi.stubEnv("SNAP_BASE_URL", origin);
    vi.stubEnv("SNAP_TOKEN", TOKEN);
    vi.stubEnv("SNAP_SIGNING_SECRET", "s3cret");
    const snap = createClient();
    await snap.screenshot(PAGE);
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    const signed = snap.signUrl(PAGE);
    expect(signed).toMatch(`${origin}/v1/snap/signed?tokenId=7&`);
    expect(signed).toBe(createClient({ signingSecret: "s3cret" }).signUrl(PAGE));
    expect(signed).not.toBe(createClient({ signingSecret: TOKEN }).signUrl(PAGE));
  });

  it("is overridden by options", async () => {
    const { origin, requests } = await openRawServer(png);
    vi.stubEnv("SNAP_BASE_URL", "https://elsewhere.example.com");
    vi.stubEnv("SNAP_TOKEN", TOKEN);
    vi.stubEnv("SNAP_SIGNING_SECRET", "s3cret");
    const snap = createClient({ baseUrl: origin, token: OTHER_TOKEN, signingSecret: "other" });
    await snap.screenshot(PAGE);
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${OTHER_TOKEN}`);
    const signed = snap.signUrl(PAGE);
    vi.unstubAllEnvs();
    expect(snap.signUrl(PAGE)).toBe(signed);
  });

  it.for([
    ["absent, as in browsers", undefined],
    ["unreadable, as in Deno without --allow-env", new Proxy({}, { get: deny })],
  ] as const)("can be %s", ([, process]) => {
    vi.stubGlobal("process", process);
    const message = "baseUrl is missing; pass it, or set SNAP_BASE_URL.";
    expect(() => createClient()).toThrow(message);
    const snap = createClient({ baseUrl: "https://snap.example.com", token: TOKEN });
    expect(() => snap.signUrl(PAGE)).toThrow(
      "signingSecret is missing; pass it, or set SNAP_SIGNING_SECRET.",
    );
  });
});

function deny(): never {
  throw new Error("NotCapable");
}

describe("withOptions()", () => {
  it("replaces some options in a new client, and keeps the others", async () => {
    const { origin, requests } = await openRawServer(png);
    const headers = { "X-Gateway-Key": "open", "X-Team": "a" };
    const snap = createClient({ baseUrl: origin, token: TOKEN, signingSecret: "s3cret", headers });
    const other = snap.withOptions({ headers: { "X-Team": "b" }, timeoutMs: 5000, token: undefined });
    await other.screenshot(PAGE);
    await other.withOptions({ token: OTHER_TOKEN }).screenshot(PAGE);
    await snap.screenshot(PAGE);
    expect(
      requests.map(({ headers: sent }) => [sent.authorization, sent["x-gateway-key"], sent["x-team"]]),
    ).toEqual([
      [`Bearer ${TOKEN}`, undefined, "b"],
      [`Bearer ${OTHER_TOKEN}`, undefined, "b"],
      [`Bearer ${TOKEN}`, "open", "a"],
    ]);
    expect(other.signUrl(PAGE)).toBe(snap.signUrl(PAGE));
  });

  it("keeps the address and token that came from the environment", async () => {
    const { origin, requests } = await openRawServer(png);
    vi.stubEnv("SNAP_BASE_URL", origin);
    vi.stubEnv("SNAP_TOKEN", TOKEN);
    const snap = createClient();
    vi.unstubAllEnvs();
    await snap.withOptions({ maxRetries: 0 }).screenshot(PAGE);
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it("rejects what createClient rejects", () => {
    const snap = createClient({ baseUrl: "https://snap.example.com", token: TOKEN });
    expect(() => snap.withOptions({ timeoutMs: 0 })).toThrow("timeoutMs must be an integer from 1");
  });

  it("ignores an unknown option, which the compiler rejects", async () => {
    const { origin, requests } = await openRawServer(resetConnection, png);
    const snap = createClient({ baseUrl: origin, token: TOKEN, pacing: recordWaits() });
    // @ts-expect-error -- the name is maxRetries
    await snap.withOptions({ maxRetry: 0 }).screenshot(PAGE);
    expect(requests).toHaveLength(2);
  });
});
