import { createFakeClock, createFakeRenderer, createMemoryStorage } from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { createDocument } from "../../src/documents/document.ts";
import { type Engine } from "../../src/create-engine.ts";
import type { SnapError } from "../../src/errors.ts";
import type { RenderOptions } from "../../src/ports/renderer.ts";
import type { Principal } from "../../src/ports/tokens.ts";
import { createPrincipal, openTestEngine } from "../open-test-engine.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
const HTML = "<h1>Invoice</h1>";
const ID = (await createDocument({ html: HTML })).id;
const url = `https://documents.snap.invalid/${ID}/`;

let clock: ReturnType<typeof createFakeClock>;
let renderer: ReturnType<typeof createFakeRenderer>;
let storage: ReturnType<typeof createMemoryStorage>;
let engine: Engine;
let principal: Principal;
let lookups: string[];
let findCalls: string[];

beforeEach(async () => {
  clock = createFakeClock(START_MS);
  renderer = createFakeRenderer();
  const memory = createMemoryStorage();
  lookups = [];
  findCalls = [];
  storage = {
    ...memory,
    documents: {
      ...memory.documents,
      find(request) {
        findCalls.push(request.accountId);
        return memory.documents.find(request);
      },
    },
  };
  engine = openTestEngine({
    storage,
    renderer,
    clock,
    resolver: {
      async resolve(name) {
        lookups.push(name);
        throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
      },
    },
  });
  principal = await createPrincipal(engine);
});

/** Stores the document for the account, with an additional file. */
async function store(accountId: string, ttlMs = 60_000): Promise<void> {
  const files = [
    { path: "index.html", contentType: "text/html; charset=utf-8", bytes: Buffer.from(HTML) },
    { path: "logo.svg", contentType: "image/svg+xml", bytes: Buffer.from("<svg/>") },
  ];
  const record = { accountId, id: ID, contentType: "text/html", bytes: HTML.length + 6, files: 2 };
  const storedAt = clock.now();
  const document = { ...record, storedAt, expiresAt: storedAt + ttlMs };
  await storage.documents.put({ document, files, quota: { documents: 10, bytes: 10_000 } });
}

/** Reads a file, as the latest render can. */
async function served(path: string): Promise<string | null> {
  const document = (renderer.options.at(-1) as RenderOptions).document;
  expect(document?.url).toBe(url);
  const file = await document?.readFile(path);
  return file ? Buffer.from(file.bytes).toString() : null;
}

const failureOf = (capture: Promise<unknown>): Promise<SnapError> =>
  capture.then(
    () => expect.fail("the capture succeeded"),
    (error: unknown) => error as SnapError,
  );

describe("capture of a stored document", () => {
  it("serves its files to the page, and hits the cache the second time", async () => {
    await store(principal.account.id);
    expect((await engine.capture({ principal, parameters: { url } })).cache).toBe("miss");
    expect(await served("index.html")).toBe(HTML);
    expect(await served("logo.svg")).toBe("<svg/>");
    expect(await served("missing")).toBeNull();
    expect(await engine.capture({ principal, parameters: { url } })).toMatchObject({
      cache: "hit",
      creditCost: 0,
    });
    // once for the page, and once for the missing file
    expect(findCalls).toEqual([principal.account.id, principal.account.id]);
    expect(lookups).toEqual([]);
  });

  it("fails to serve a file once the document has been deleted", async () => {
    await store(principal.account.id);
    await engine.capture({ principal, parameters: { url } });
    await engine.documents.delete({ principal, id: ID });
    await expect(served("logo.svg")).rejects.toMatchObject({
      code: "render_failed",
      message: "The document was deleted while it was being rendered.",
    });
  });

  it("fails the same way for another account's document, an expired one and an unknown one", async () => {
    await store(principal.account.id, 1000);
    const other = await createPrincipal(engine, { email: "grace@example.com" });
    const failures = [await failureOf(engine.capture({ principal: other, parameters: { url } }))];
    clock.advance(1000);
    failures.push(await failureOf(engine.capture({ principal, parameters: { url } })));
    const unknown = `https://documents.snap.invalid/${"0".repeat(64)}/`;
    failures.push(await failureOf(engine.capture({ principal, parameters: { url: unknown } })));
    expect(lookups).toEqual([]);
    for (const failure of failures) {
      expect(failure).toMatchObject({
        code: "target_unreachable",
        message:
          "The document is not stored: this account never uploaded it, or it was deleted or has expired. Upload it.",
        errors: undefined,
        notes: [],
      });
    }
    expect(renderer.calls).toEqual([]);
    expect((await engine.credits(principal.account)).used).toBe(0);
  });

  it.each([
    `https://documents.snap.invalid/${ID}/two.html`,
    `https://documents.snap.invalid/${ID}/two.html?a=1#b`,
    `http://documents.snap.invalid/${ID}/`,
    `https://documents.snap.invalid:8443/${ID}/`,
    `https://documents.snap.invalid./${ID}/`,
    "https://documents.snap.invalid/",
    "https://DOCUMENTS.snap.invalid/7",
  ])("fails for another URL on the documents' host: %s", async (other) => {
    await store(principal.account.id);
    expect(await failureOf(engine.capture({ principal, parameters: { url: other } }))).toMatchObject({
      code: "target_unreachable",
      status: 422,
      message:
        "Only a document's own URL, https://documents.snap.invalid/<id>/, can be rendered; it shows the index page. To render another page, upload it as a separate document.",
    });
    expect(renderer.calls).toEqual([]);
    expect((await engine.credits(principal.account)).used).toBe(0);
  });

  it("uses the files that it started with, even if the document expires during the render", async () => {
    await store(principal.account.id, 1000);
    const release = renderer.hold();
    const pruned = Promise.withResolvers<number>();
    const { prune } = storage.documents;
    storage.documents.prune = async (request) => {
      const count = await prune(request);
      pruned.resolve(count);
      return count;
    };
    const capture = engine.capture({ principal, parameters: { url } });
    await renderer.whenCalled(1);
    clock.advance(60_000);
    expect(await pruned.promise).toBe(0);
    expect(await served("logo.svg")).toBe("<svg/>");
    release();
    expect((await capture).creditCost).toBe(1);
  });

  it("fails and is refunded if the storage fails", async () => {
    storage.documents.find = () => Promise.reject(new Error("the disk is gone"));
    const failure = await failureOf(engine.capture({ principal, parameters: { url } }));
    expect(failure).toMatchObject({ code: "server_error", cause: new Error("the disk is gone") });
    expect((await engine.credits(principal.account)).used).toBe(0);
  });
});

describe("capture of content", () => {
  const document = { html: HTML };

  it("renders the content without storing it; sending it again, or its URL, hits the cache", async () => {
    expect(await engine.capture({ principal, parameters: {}, document })).toMatchObject({
      cache: "miss",
      creditCost: 1,
    });
    expect(renderer.calls).toEqual([expect.objectContaining({ url })]);
    expect(await served("index.html")).toBe(HTML);
    expect(await served("logo.svg")).toBeNull();
    const again = { principal, parameters: "", document: { html: Buffer.from(HTML) } };
    expect(await engine.capture(again)).toMatchObject({ cache: "hit", creditCost: 0 });
    expect((await engine.capture({ principal, parameters: { url } })).cache).toBe("hit");
    expect(findCalls).toEqual([]);
    const uncached = failureOf(engine.capture({ principal, parameters: { url, scale: 2 } }));
    expect(await uncached).toMatchObject({ code: "target_unreachable" });
  });

  it("renders again for different content, mode or format", async () => {
    for (const request of [
      { parameters: {}, document },
      { parameters: { pdf: true }, document },
      { parameters: {}, document: { html: `${HTML} ` } },
      { parameters: {}, document: { markdown: HTML } },
    ])
      expect((await engine.capture({ principal, ...request })).cache).toBe("miss");
  });

  it("is rejected if url is also sent, together with all other invalid parameters", async () => {
    const invalid = { url, widht: "5", scale: "9" };
    for (const parameters of [invalid, new URLSearchParams(invalid)])
      expect(await failureOf(engine.capture({ principal, parameters, document }))).toMatchObject({
        code: "validation_failed",
        errors: {
          url: ["must not be sent with a document"],
          widht: ["is not a parameter; did you mean width?"],
          scale: ["must be an integer from 1 to 3"],
        },
      });
  });

  it("does not join a render of the same stored document", async () => {
    await store(principal.account.id);
    const release = renderer.hold();
    const stored = engine.capture({ principal, parameters: { url } });
    const sent = engine.capture({ principal, parameters: {}, document });
    const joined = engine.capture({ principal, parameters: {}, document });
    await renderer.whenCalled(2);
    release();
    const captures = await Promise.all([stored, sent, joined]);
    expect(captures.map(({ cache }) => cache)).toEqual(["miss", "miss", "hit"]);
    expect(renderer.calls).toHaveLength(2);
  });
});
