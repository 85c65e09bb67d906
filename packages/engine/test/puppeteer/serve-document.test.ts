import { describe, expect, it } from "vitest";
import type { PausedRequest, Verdict } from "../../src/puppeteer/page/intercept-requests.ts";
import { documentRules } from "../../src/puppeteer/page/serve-document.ts";
import type { Tab } from "../../src/puppeteer/page/tab.ts";
import { documentOf, type TestDocument } from "./served-document.ts";
import { required } from "./setup.ts";

type Judge = (url: string, method?: string) => Promise<Verdict>;

/** Returns a function that judges the requests of this document's page. */
function serve(document: TestDocument, ended = new AbortController().signal): Judge {
  const tab = { ended } as Tab;
  const rule = required(documentRules({ tab, document })[0], "rule");
  return async (url, method = "GET") => rule.judge({ request: { url, method } } as PausedRequest);
}

const FILES = { "index.html": "index", "logo.svg": "logo", "sub/index.html": "sub", "a b/é.txt": "encoded" };

/** Returns the status with the body or the location. */
async function responseAt(judge: Judge, url: string, method?: string): Promise<string> {
  const verdict = await judge(url, method);
  if (verdict === null || !("fulfill" in verdict)) return JSON.stringify(verdict);
  const { status, headers, body } = verdict.fulfill;
  return `${status} ${headers["location"] ?? Buffer.from(body).toString()}`.trim();
}

const ID = "0123456789abcdef".repeat(4);

describe("the rule that serves a document", () => {
  it.each([
    [`/${ID}/`, "200 index"],
    [`/${ID}/?lang=en#top`, "200 index"],
    [`/${ID}`, `301 /${ID}/`],
    [`/${ID}?lang=en`, `301 /${ID}/?lang=en`],
    [`/${ID}/logo.svg`, "200 logo"],
    [`/${ID}/sub/../logo.svg`, "200 logo"],
    [`/${ID}/sub/`, "200 sub"],
    [`/${ID}/sub`, `301 /${ID}/sub/`],
    [`/${ID}/a%20b/%C3%A9.txt`, "200 encoded"],
    // decomposed, as in macOS file names
    [`/${ID}/a%20b/e%CC%81.txt`, "200 encoded"],
    ["/logo.svg", "200 logo"],
    ["/sub/", "200 sub"],
    ["/", "200 index"],
    [`/${ID}/missing`, "404 Not found"],
    [`/${ID}/logo.svg/`, "404 Not found"],
    [`/${ID}/%ff`, "404 Not found"],
    [`/${"f".repeat(64)}/`, "404 Not found"],
    [`/${"f".repeat(64)}/logo.svg`, "404 Not found"],
  ])("responds at %s with %s", async (path, expected) => {
    const judge = serve(documentOf(FILES));
    expect(await responseAt(judge, `https://documents.snap.invalid${path}`)).toBe(expected);
  });

  it("does not normalize a path that is too long to be valid", async () => {
    // normalizing this path would take minutes
    const path = `a${"%CC%95".repeat(150_000)}${"%CC%96".repeat(150_000)}`;
    expect(await responseAt(serve(documentOf(FILES)), `https://documents.snap.invalid/${path}`)).toBe(
      "404 Not found",
    );
  });

  it("accepts only GET and HEAD", async () => {
    const judge = serve(documentOf(FILES));
    const url = "https://documents.snap.invalid/logo.svg";
    expect(await responseAt(judge, url, "HEAD")).toBe("200");
    expect(await responseAt(judge, url, "POST")).toBe("405 Method not allowed");
  });

  it("sends the same length for GET and HEAD", async () => {
    const judge = serve(documentOf(FILES));
    for (const method of ["GET", "HEAD"])
      expect(await judge("https://documents.snap.invalid/logo.svg", method)).toMatchObject({
        fulfill: { headers: { "content-length": "4" } },
      });
  });

  it("reads no more files once the page has ended", async () => {
    const document = documentOf(FILES);
    const ended = new AbortController();
    const judge = serve(document, ended.signal);
    const verdicts = Array.from({ length: 100 }, (_, file) =>
      judge(`https://documents.snap.invalid/missing/${file}/`),
    );
    ended.abort();
    await Promise.all(verdicts);
    expect(document.readPaths.length).toBeLessThan(10);
  });

  it("sends each file's type, and no-store", async () => {
    const verdict = await serve(documentOf(FILES))("https://documents.snap.invalid/logo.svg");
    expect(verdict).toMatchObject({
      fulfill: { headers: { "content-type": "image/svg+xml", "cache-control": "no-store" } },
    });
  });

  it.each([
    "https://example.com/",
    "http://documents.snap.invalid/",
    "https://documents.snap.invalid.example/",
  ])("leaves %s to the other rules", async (url) => {
    expect(await serve(documentOf(FILES))(url)).toBeNull();
  });

  it("stops responding once a page has loaded 100 MiB", async () => {
    const document = documentOf({ large: new Uint8Array(40 * 1024 * 1024) });
    const judge = serve(document);
    const url = "https://documents.snap.invalid/large";
    for (let time = 0; time < 3; time += 1)
      expect(await judge(url)).toMatchObject({ fulfill: { status: 200 } });
    expect(await judge(url)).toEqual({ fail: "Failed" });
    expect(document.readPaths).toHaveLength(3);
    expect(await judge("https://documents.snap.invalid/")).toEqual({ fail: "Failed" });
  });
});
