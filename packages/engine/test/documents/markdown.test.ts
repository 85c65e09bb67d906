import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDocument } from "../../src/documents/document.ts";
import { markdownToHtml } from "../../src/documents/markdown.ts";

const TOO_COMPLEX = "is too complex to convert to HTML; simplify its Markdown, or send HTML";

async function htmlOf(markdown: string): Promise<string> {
  const { files } = await createDocument({ markdown });
  expect(files.map(({ path, contentType }) => [path, contentType])).toEqual([
    ["index.html", "text/html; charset=utf-8"],
  ]);
  return Buffer.from(files[0]?.bytes ?? []).toString();
}

/** Returns the content of the body. */
async function bodyOf(markdown: string): Promise<string> {
  return /<body>\n([^]*)<\/body>/.exec(await htmlOf(markdown))?.[1] ?? "";
}

describe("Markdown", () => {
  it("does not crash the process if the thread fails after the conversion", async () => {
    const handled: boolean[] = [];
    const failOnceFinished = (thread: Worker): void =>
      void thread.once("message", () => handled.push(thread.emit("error", new Error("out of memory"))));
    process.on("worker", failOnceFinished);
    onTestFinished(() => void process.off("worker", failOnceFinished));
    expect(await bodyOf("Text.")).toBe("<p>Text.</p>\n");
    expect(handled).toEqual([true]);
  });

  it("becomes a page with a title, and with a style in a cascade layer", async () => {
    const html = await htmlOf('\ufeffBefore.\n\n## Q3 *& "<b>more</b>"* `x < y` ![a](b)\n\n# Second\n');
    expect(html).toMatch(/^<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">/);
    expect(html).toContain("<title>Q3 &amp; &quot;more&quot; x &lt; y a</title>");
    expect(html).toContain("<style>\n@layer default {");
    expect(html).toContain("<body>\n<p>Before.</p>");
    expect(await htmlOf("Text.")).toContain("<title></title>");
  });

  it("can contain tables, task lists, strikethrough, autolinks and raw HTML", async () => {
    const body = await bodyOf(
      "| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n\n~~old~~ https://example.com\n\n<div id=raw>*x*</div>\n",
    );
    for (const part of [
      "<thead>",
      '<td align="right">2</td>',
      'type="checkbox"',
      "<del>old</del>",
      '<a href="https://example.com">https://example.com</a>',
      "<div id=raw>*x*</div>",
    ])
      expect(body).toContain(part);
  });

  it("gives headings the same ids as GitHub", async () => {
    const body = await bodyOf('# Äpfel & *Birnen*!\n# A `b_c` d\n# A\n# A\n# <i>x"y</i>\n# !\n');
    expect([...body.matchAll(/ id="(.*?)"/g)].map(([, id]) => id)).toEqual([
      "äpfel--birnen",
      "a-b_c-d",
      "a",
      "a-1",
      "xy",
    ]);
  });

  it("can have character references in headings, which are literal text in code and after a backslash", async () => {
    const html = await htmlOf("# Terms &amp; Conditions &copy; `a &lt; b` \\&amp; & ;\n");
    expect(html).toContain("<title>Terms &amp; Conditions &copy; a &amp;lt; b &amp;amp; &amp; ;</title>");
    expect(html).toContain('<h1 id="terms--conditions--a-lt-b-amp--">');
  });

  it("becomes index.html, next to the document's other files", async () => {
    const { files } = await createDocument({
      files: [
        { path: "index.md", bytes: "![logo](logo.png)" },
        { path: "logo.png", bytes: new Uint8Array([1]) },
      ],
    });
    expect(files.map(({ path }) => path)).toEqual(["index.html", "logo.png"]);
  });

  it("is rejected if it takes too long to convert, without blocking the event loop", async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 10);
    // converting this text would take minutes
    const hostile = Buffer.from("_a_".repeat(200_000) + "*".repeat(200_000));
    await expect(markdownToHtml(hostile, { label: "index.md", accountId: "a" })).rejects.toMatchObject({
      code: "validation_failed",
      errors: { "index.md": [TOO_COMPLEX] },
    });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
    expect(await bodyOf("still works")).toBe("<p>still works</p>\n");
  });

  it("is no longer converted once the signal aborts, whether the conversion is running or queued", async () => {
    // the thread never reaches its CPU limit, so only the signal stops it before 60 s have passed
    const { cpuUsage } = Worker.prototype;
    Object.assign(Worker.prototype, { cpuUsage: async () => ({ user: 0, system: 0 }) });
    onTestFinished(() => void Object.assign(Worker.prototype, { cpuUsage }));
    const threads: Worker[] = [];
    const record = (thread: Worker): void => void threads.push(thread);
    process.on("worker", record);
    onTestFinished(() => void process.off("worker", record));
    const waiting = new AbortController();
    const hostile = Buffer.from("_a_".repeat(200_000) + "*".repeat(200_000));
    const conversions = [1, 2].map(() =>
      markdownToHtml(hostile, { label: "index.md", accountId: "b", signal: waiting.signal }),
    );
    const ended = Promise.allSettled(conversions);
    await expect.poll(() => threads).toHaveLength(1);
    const reason = new Error("the render has ended");
    waiting.abort(reason);
    expect(await ended).toEqual([
      { status: "rejected", reason },
      { status: "rejected", reason },
    ]);
    expect(threads.map(({ threadId }) => threadId)).toEqual([-1]);
  });

  it("is also rejected if it takes too long in a release of Node that cannot measure a thread's CPU time", async () => {
    const { cpuUsage } = Worker.prototype;
    Reflect.deleteProperty(Worker.prototype, "cpuUsage");
    onTestFinished(() => void Object.assign(Worker.prototype, { cpuUsage }));
    const hostile = Buffer.from("_a_".repeat(200_000) + "*".repeat(200_000));
    await expect(markdownToHtml(hostile, { label: "index.md", accountId: "a" })).rejects.toMatchObject({
      errors: { "index.md": [TOO_COMPLEX] },
    });
  });

  it("is rejected if it is nested too deeply", async () => {
    await expect(createDocument({ markdown: ">".repeat(20_000) })).rejects.toMatchObject({
      code: "validation_failed",
      errors: { body: [TOO_COMPLEX] },
    });
  });
});
