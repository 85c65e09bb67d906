// @module-tag browser
import { createClient, verifyWebhook } from "@snap/client";
import type { Browser } from "puppeteer";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openBrowser, openConsole, type Visitor } from "../../../console/test/browser/open-console.ts";
import { openWorkspace, type Workspace } from "../../../server/test/cli/command.ts";
import { servePages, type Pages } from "../../../server/test/cli/pages.ts";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { run, type Outcome } from "../../src/machine/run.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { installClient } from "./install-client.ts";

/*
 * An operator's first hour, with the real command, service and Chromium. The code that the console copies is run. Each
 * step continues the previous one.
 */

const EMAIL = "ada@example.com";

let pages: Pages;
let receiver: Receiver;
let workspace: Workspace;
let browser: Browser;
let visitor: Visitor;
let origin = "";

beforeAll(async () => {
  [pages, receiver, browser] = await Promise.all([servePages(), openReceiver(), openBrowser()]);
  const port = await findFreePort();
  origin = `http://127.0.0.1:${port}`;
  workspace = openWorkspace({
    SNAP_PORT: String(port),
    SNAP_CONSOLE: "on",
    SNAP_ALLOW_TARGETS: `${pages.target},${receiver.target}`,
    SNAP_WEBHOOK_SCHEDULE: "100ms,100ms",
  });
  await workspace.start(["serve"]).whenPrinted(/"msg":"listening"/);
  visitor = await openConsole(browser, { origin, base: "/console/" });
});
afterAll(async () => {
  await browser.close();
  await workspace.cleanUp();
  await Promise.all([pages.close(), receiver.close()]);
});

let hasFailed = false;
beforeEach(({ skip, onTestFailed }) => {
  skip(hasFailed, "an earlier step failed");
  onTestFailed(() => {
    hasFailed = true;
  });
});

/** Presses a button that copies, and returns what it copied. */
async function copy(button: string, notice: string): Promise<string> {
  await visitor.press(button);
  await visitor.see(notice);
  return visitor.clipboardText();
}

/** Copies the snippet in this tab of the playground. */
async function copySnippet(tab: string): Promise<string> {
  await visitor.press(tab, "tab");
  return copy("Copy", `${tab === "<img>" ? "Image" : tab} copied.`);
}

const LATEST_ATTEMPT = "[aria-labelledby=deliveries] tbody tr";
const openFirstRow = (): Promise<void> => visitor.page.locator("tbody .row-link").click();

describe("with the console, an operator", () => {
  let token = "";
  let signingSecret = "";
  /** Of the rendering in the playground, in quotes. */
  let etag = "";

  it("signs in with the link that the command prints, which works once", async () => {
    const { stdout } = await workspace.run(["console"]);
    const link = stdout.trim().split("\n").at(-1)!;
    await visitor.page.goto(link);
    await visitor.see("Ready");
    expect(visitor.page.url()).toBe(`${origin}/console/#/`);
    const thief = await openConsole(browser, { origin, base: "/console/" });
    await thief.page.goto(link);
    await thief.see("This sign-in link has already been used or has expired. Create a new one.");
    await thief.page.close();
  });

  it("creates an account and a token, whose secrets are shown once", async () => {
    await visitor.press("Accounts", "link");
    await visitor.press("Create an account");
    await visitor.fill("Email", EMAIL);
    await visitor.press("Create account");
    await visitor.see(`Account ${EMAIL} created.`);
    await visitor.press("Create a token");
    await visitor.press("Create token");
    token = await copy("Copy token", "Token copied.");
    signingSecret = await copy("Copy signing secret", "Signing secret copied.");
    expect([token, signingSecret]).toEqual([expect.stringMatching(/^1\|\w{20,}$/), expect.any(String)]);
    await visitor.press("Use in the playground");
    await visitor.press("Accounts", "link");
    await openFirstRow();
    await visitor.see("Everything");
    const shown = await visitor.page.content();
    expect([shown.includes(token.slice(2)), shown.includes(signingSecret)]).toEqual([false, false]);
  });

  it("renders a page in the playground", async () => {
    await visitor.press("Playground", "link");
    await visitor.fill("url", pages.url);
    await visitor.press("Render");
    for (const text of ["1,280 × 800 px", "1 credit", "miss"]) await visitor.see(text);
    await visitor.page.locator("::-p-text(Response headers)").click();
    etag = await visitor.text("::-p-xpath(//tr[.//code='etag']/td[2])");
    expect(etag).toMatch(/^"[\da-f]{64}"$/);
  });

  it("finds the request in the history, sees its rendering, and opens it in the playground", async () => {
    await visitor.press("Requests", "link");
    await openFirstRow();
    await visitor.see("1,280 × 800 px");
    expect(await visitor.see(etag)).toBe(true);
    await visitor.press("Open in the playground", "link");
    expect(await visitor.see(`--data-urlencode 'url=${pages.url}'`)).toBe(true);
  });

  describe("copies the request as", () => {
    const runCopied = (command: string, ...args: readonly string[]): Promise<Outcome> =>
      run(command, args, { cwd: workspace.directory, env: { SNAP_TOKEN: token } });

    it("a curl command, which returns the same entity tag", async () => {
      const { ok, output } = await runCopied("sh", "-c", await copySnippet("curl"));
      expect([ok, /^etag: (.+)$/im.exec(output)?.[1]?.trim()]).toEqual([true, etag]);
    });

    it("a TypeScript program, which returns the same entity tag", async () => {
      await installClient(workspace.directory);
      const program = await copySnippet("TypeScript");
      expect(await runCopied(process.execPath, "--input-type=module-typescript", "-e", program)).toEqual({
        ok: true,
        output: etag,
      });
    });

    it("a Python program, which returns the same entity tag", { tags: ["python"] }, async () => {
      expect(await runCopied("python3", "-c", await copySnippet("Python"))).toEqual({
        ok: true,
        output: etag,
      });
    });

    it("an image tag, whose URL needs no token", async () => {
      await visitor.press("<img>", "tab");
      await visitor.fill("Signing secret", signingSecret);
      const [, url = ""] = /^<img src="([^"]+)"/.exec(await copySnippet("<img>"))!;
      const { status, headers } = await fetch(url.replaceAll("&amp;", "&"));
      expect([status, headers.get("content-type"), headers.get("etag")]).toEqual([200, "image/png", etag]);
    });

    it("a tool call, which returns the image", async () => {
      const response = await fetch(`${origin}/mcp`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${token}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
        },
        body: await copySnippet("Tool call"),
      });
      // the response is one event
      const [message = ""] = /(?<=^data: ).+$/m.exec(await response.text())!;
      expect(JSON.parse(message)).toMatchObject({
        result: { content: [{ type: "image", mimeType: "image/png" }, {}], structuredContent: { etag } },
      });
    });
  });

  it("watches a webhook fail, and sends it again once its receiver is fixed", async () => {
    const held = pages.held();
    const { batches } = createClient({ baseUrl: `${origin}/v1`, token });
    const { id } = await batches.submit({
      items: [{ url: `${pages.url}held` }],
      webhookUrl: receiver.url,
    });
    await visitor.press("Batches", "link");
    await openFirstRow();
    await visitor.see("No attempts yet.");
    (await held).end("<h1>done</h1>");
    for (const text of ["3 attempts", "Abandoned"]) await visitor.see(text);
    expect(await visitor.text(LATEST_ATTEMPT)).toMatch(/\b500\b.*\bout of order\b/s);
    receiver.fix();
    await visitor.press("Send again");
    for (const text of ["4 attempts", "Delivered"]) await visitor.see(text);
    expect(await visitor.text(LATEST_ATTEMPT)).toMatch(/\b204\b/);
    const { body, headers } = await receiver.delivered;
    expect(verifyWebhook(body, headers, signingSecret)).toMatchObject({
      id,
      status: "complete",
      items: [{ status: "done" }],
    });
  });

  it("revokes the token, which the service then rejects", async () => {
    await visitor.press("Accounts", "link");
    await openFirstRow();
    await visitor.press("Revoke token 1");
    await visitor.press("Revoke token 1");
    await visitor.see("Token 1 revoked.");
    const response = await fetch(`${origin}/v1/usage`, { headers: { Authorization: `Bearer ${token}` } });
    expect([response.status, await response.json()]).toMatchObject([401, { code: "unauthenticated" }]);
    expect(visitor.problems).toEqual([]);
  });
});
