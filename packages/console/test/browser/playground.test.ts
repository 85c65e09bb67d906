// @module-tag browser
import { PARAMETERS } from "@snap/protocol";
import type { Browser } from "puppeteer";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Call, Stub } from "../stub/responses.ts";
import { INJECTED_HTML } from "../stub/data.ts";
import { startStub } from "../stub/stub-server.ts";
import { openBrowser, openConsole, type Visitor } from "./open-console.ts";

let stub: Stub;
let browser: Browser;
let visitor: Visitor;
beforeAll(async () => {
  [stub, browser] = await Promise.all([startStub(), openBrowser()]);
  visitor = await openConsole(browser, stub);
  await visitor.go("/");
  await visitor.fill("API token", "7|holder-secret");
  await visitor.press("Use this token");
});
afterAll(async () => {
  await browser.close();
  await stub.close();
});
beforeEach(async () => {
  await visitor.go("/playground");
});

/** Names of the fields in all groups, including closed ones. */
const fieldNames = (): Promise<string[]> =>
  visitor.page.$$eval(".group-fields label", (labels) => labels.map((label) => label.textContent ?? ""));
/** Name of the field that has the focus. */
const focusedField = (): Promise<string | undefined> =>
  visitor.page.evaluate(() =>
    Array.from(document.querySelectorAll("label"))
      .find(({ control }) => control === document.activeElement)
      ?.textContent?.trim(),
  );
const lastCall = (path: string): Call | undefined => stub.calls.findLast((call) => call.path === path);
const snippet = (): Promise<string> => visitor.text(".code code");
const openGroups = (): Promise<void> =>
  visitor.page.$$eval(".group", (groups) => groups.forEach((group) => group.setAttribute("open", "")));

describe("the form", () => {
  it("has a field for each parameter of the mode", async () => {
    const others = (mode: "screenshot" | "pdf"): string[] =>
      Object.keys(PARAMETERS[mode]).filter((name) => name !== "url" && name !== "pdf");
    expect((await fieldNames()).toSorted()).toEqual(others("screenshot").toSorted());
    await expect.poll(fieldNames).toContain("fullPage");
    await visitor.press("PDF", "radio");
    expect((await fieldNames()).toSorted()).toEqual(others("pdf").toSorted());
    await expect.poll(fieldNames).toContain("paperFormat");
  });

  it("shows the service's error messages while the user types", async () => {
    await visitor.fill("scale", "4");
    await visitor.see("must be an integer from 1 to 3");
    await visitor.fill("width", "100");
    await visitor.see("must be sent together with width");
    await visitor.fill("url", "example.com");
    await visitor.see("must be an absolute URL that starts with http:// or https://");
    await openGroups();
    expect(await visitor.page.$$eval("option[value='']", (all) => all.map(({ text }) => text))).toContain(
      "not set (default)",
    );
    await visitor.choose("format", "jpeg");
    await visitor.page.locator("::-p-aria([name='omitBackground'])").click();
    expect(await visitor.see("requires a format with transparency: png or webp")).toBe(true);
  });

  it("sends nothing while it is invalid, and focuses the first invalid field", async () => {
    stub.calls.length = 0;
    await openGroups();
    await visitor.fill("quality", "101");
    await visitor.fill("scale", "4");
    await visitor.fill("url", "https://example.com/");
    await visitor.press("Render");
    await expect.poll(focusedField).toBe("scale");
    expect(stub.calls).toEqual([]);
  });

  it("shows and focuses an invalid field that the search has hidden", async () => {
    await visitor.fill("url", "https://example.com/");
    await visitor.fill("scale", "9");
    await visitor.fill("Find a parameter", "cookies");
    await expect.poll(fieldNames).not.toContain("scale");
    await visitor.press("Render");
    await expect.poll(focusedField).toBe("scale");
  });

  it("finds parameters of the selected mode by name or description", async () => {
    await visitor.fill("Find a parameter", "fullPageMaxHeight");
    await expect.poll(fieldNames).toEqual(["fullPageMaxHeight"]);
    await visitor.fill("Find a parameter", "bookmarks");
    await visitor.see("No matching parameters in this mode.");
    await visitor.press("PDF", "radio");
    await expect.poll(fieldNames).toEqual(["outline"]);
  });
});

describe("a render", () => {
  it("shows the image with its size, cost, notes, headers and request id", async () => {
    await visitor.fill("url", "https://example.com/");
    await visitor.press("Render");
    await visitor.see("1,280 × 800 px");
    const { query, token } = lastCall("/v1/snap")!;
    expect([Object.fromEntries(query), token]).toEqual([{ url: "https://example.com/" }, "7|holder-secret"]);
    for (const text of [
      "1 credit",
      "miss",
      "s3://archive/acct_1/example.png",
      "blocked=12",
      "Number of requests that were blocked.",
    ])
      await visitor.see(text);
    await visitor.see("7b1f0000-0000-4000-8000-0000000000aa");
    await visitor.page.locator("::-p-text(Response headers)").click();
    await visitor.see("x-credits-remaining");
    await visitor.see("1015432");
  });

  it("sends typed values, without defaults or parameters of the other mode", async () => {
    await visitor.go(
      "/playground?url=https%3A%2F%2Fexample.com%2F&fullPage=1&format=png&quality=&scale=2&landscape=true",
    );
    await visitor.press("Render");
    await visitor.see("1,280 × 800 px");
    await expect
      .poll(() => String(lastCall("/v1/snap")?.query))
      .toBe("url=https%3A%2F%2Fexample.com%2F&scale=2&fullPage=true");
  });

  it("omits values that would mean something else in the new mode", async () => {
    await visitor.go("/playground?url=https%3A%2F%2Fexample.com%2F&width=400&height=300&locale=de-DE");
    await visitor.press("PDF", "radio");
    await visitor.press("Render");
    await expect
      .poll(() => String(lastCall("/v1/snap")?.query))
      .toBe("url=https%3A%2F%2Fexample.com%2F&pdf=true&locale=de-DE");
  });

  it("is a POST if it has HTML or secrets", async () => {
    await visitor.press("HTML", "radio");
    await visitor.fill("html", "<h1>Hello</h1>");
    await visitor.press("Render");
    await visitor.see("1,280 × 800 px");
    await expect.poll(() => lastCall("/v1/captures")?.body).toEqual({ html: "<h1>Hello</h1>" });
    await visitor.press("URL", "radio");
    await openGroups();
    await visitor.fill("url", "https://example.com/");
    await visitor.fill("basicAuth", "user:password");
    await visitor.press("Render");
    await visitor.see("1,280 × 800 px");
    await expect
      .poll(() => lastCall("/v1/captures")?.body)
      .toEqual({
        url: "https://example.com/",
        basicAuth: "user:password",
      });
  });

  it("that fails shows the error, the invalid parameters and whether to retry", async () => {
    await visitor.fill("url", "https://rejected.example/");
    await visitor.press("Render");
    await visitor.see(`url is rejected ${INJECTED_HTML}`);
    await visitor.see("422 validation_failed");
    await visitor.see("The same request will probably fail again; fix the cause first.");
    await visitor.fill("url", "https://timeout.example/");
    await visitor.press("Render");
    await visitor.see("504 render_timeout");
    await visitor.see("The same request may succeed if you retry it in 5 seconds.");
    expect(await visitor.see("No credit was charged.")).toBe(true);
  });

  it("that a proxy rejects says nothing about credits or retries", async () => {
    await visitor.fill("url", "https://bad-gateway.example/");
    await visitor.press("Render");
    await visitor.see("502 unexpected_response");
    const text = await visitor.page.$eval(
      "[aria-labelledby=result] p.muted",
      ({ textContent }) => textContent,
    );
    expect(text).toMatch(/^After .+ m?s\.$/);
  });

  it("can be canceled", async () => {
    stub.scenario = "hanging";
    await visitor.fill("url", "https://example.com/");
    await visitor.page.locator("::-p-aria([name='Render'][role='button'])").click();
    await visitor.page.locator("::-p-aria([name='Cancel'])").click();
    expect(await visitor.see("Nothing rendered yet.")).toBe(true);
    stub.scenario = "normal";
  });

  it("of a PDF offers a download if the browser cannot display PDFs", async () => {
    await visitor.press("PDF", "radio");
    await visitor.fill("url", "https://example.com/");
    await visitor.press("Render");
    await visitor.see("This browser cannot display PDFs. Download the file instead.");
    expect(await visitor.page.$eval("a[download]", (link) => link.getAttribute("download"))).toBe(
      "rendering.pdf",
    );
  });
});

describe("the snippets", () => {
  it("contain the request but no token", async () => {
    await visitor.go("/playground?url=https%3A%2F%2Fexample.com%2F%3Fq%3Dit's&fullPage=true");
    await expect
      .poll(snippet)
      .toBe(
        [
          `curl -fsS -D - '${stub.origin}/v1/snap' \\`,
          `  -H "Authorization: Bearer $SNAP_TOKEN" \\`,
          `  -G \\`,
          `  --data-urlencode 'url=https://example.com/?q=it'\\''s' \\`,
          `  --data-urlencode 'fullPage=true' \\`,
          `  -o rendering.png`,
        ].join("\n"),
      );
    await visitor.press("TypeScript", "tab");
    await expect
      .poll(snippet)
      .toContain(`await snap.screenshot({\n  url: "https://example.com/?q=it's",\n  fullPage: true,\n});`);
    await visitor.press("Copy");
    await visitor.see("TypeScript copied.");
    expect(await visitor.clipboardText()).toBe(await snippet());
  });

  it("sign an image with the token's signing secret", async () => {
    await visitor.go("/playground?url=https%3A%2F%2Fexample.com%2F&fullPage=true");
    await visitor.press("<img>", "tab");
    // as if pasted with spaces around the values
    await visitor.fill("Token id", " 7 ");
    await visitor.fill("Signing secret", " s3cret-of-token-7 ");
    // computed with openssl from the canonical query
    const signature = "04eb53d2c2fa4c0d001cf9195b819acfc000f54d730810e4aeb7a446c476bf64";
    await expect
      .poll(snippet)
      .toBe(
        `<img src="${stub.origin}/v1/snap/signed?fullPage=true&amp;tokenId=7&amp;url=https%3A%2F%2Fexample.com%2F&amp;signature=${signature}" alt="" />`,
      );
  });

  it("do not sign secrets", async () => {
    await visitor.fill("url", "https://example.com/");
    await openGroups();
    await visitor.fill("headers", `{"X-Preview":"secret"}`);
    await visitor.press("<img>", "tab");
    expect(await visitor.see("headers cannot be part of a signed URL, because anyone can read it")).toBe(
      true,
    );
  });
});

describe("the link", () => {
  it("contains the form without its secrets", async () => {
    await visitor.fill("url", "https://example.com/");
    await visitor.fill("scale", "2");
    await openGroups();
    await visitor.fill("basicAuth", "user:password");
    const expected = "#/playground?url=https%3A%2F%2Fexample.com%2F&scale=2";
    await visitor.page.waitForFunction((hash) => location.hash === hash, {}, expected);
    await visitor.press("Copy link");
    const link = await visitor.clipboardText();
    expect(link).toBe(`${stub.origin}/console/${expected}`);
    await visitor.page.reload();
    await visitor.see("--data-urlencode 'scale=2'");
    await openGroups();
    expect(
      await visitor.page.$eval("::-p-aria([name='basicAuth'])", (input) => (input as HTMLInputElement).value),
    ).toBe("");
  });

  it("cannot be copied if the form is too long", async () => {
    await visitor.press("HTML", "radio");
    await visitor.page.$eval("textarea", (field) => {
      field.value = "x".repeat(70_000);
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await visitor.see("Too long for a link");
    expect(
      await visitor.page.$eval("::-p-text(Too long for a link)", (button) => button.matches(":disabled")),
    ).toBe(true);
  });

  it("to the playground resets the form, and new input updates the address again", async () => {
    const url = (): Promise<string> => visitor.page.$eval("input[inputmode=url]", (input) => input.value);
    const hasHash = (part: string): Promise<unknown> =>
      visitor.page.waitForFunction((text) => location.hash.includes(text), {}, part);
    await visitor.fill("url", "https://example.com/first");
    await hasHash("first");
    await visitor.press("Playground", "link");
    await expect.poll(url).toBe("");
    await visitor.fill("url", "https://example.com/second");
    await hasHash("second");
    await visitor.page.reload();
    await expect.poll(url).toBe("https://example.com/second");
    await visitor.page.goBack();
    await expect.poll(url).toBe("https://example.com/first");
  });

  it("ignores secrets and unknown parameters", async () => {
    await visitor.go(
      "/playground?url=https%3A%2F%2Fexample.com%2F&basicAuth=a%3Ab&headers=%7B%7D&unknown=1&pdf=true",
    );
    await visitor.press("TypeScript", "tab");
    await expect.poll(snippet).toContain(`await snap.pdf({\n  url: "https://example.com/",\n});`);
  });
});
