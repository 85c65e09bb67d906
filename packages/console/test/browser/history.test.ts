// @module-tag browser
import type { Browser, HTTPRequest, Page } from "puppeteer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Stub } from "../stub/responses.ts";
import { INJECTED_HTML, LONG_URL } from "../stub/data.ts";
import { startStub } from "../stub/stub-server.ts";
import { openBrowser, openConsole, signIn, waitUntilIdle, type Visitor } from "./open-console.ts";

let stub: Stub;
let browser: Browser;
let visitor: Visitor;
beforeAll(async () => {
  [stub, browser] = await Promise.all([startStub(), openBrowser()]);
  visitor = await openConsole(browser, stub);
  await signIn(visitor, stub);
});
afterAll(async () => {
  await browser.close();
  await stub.close();
});

const lastQuery = (path: string): Record<string, string> =>
  Object.fromEntries(stub.calls.findLast((call) => call.path === path)!.query);
const rowCount = (): Promise<number> => visitor.page.$$eval("tbody tr", (all) => all.length);

/** After the next navigation, intervals elapse only when the test calls the returned function. */
async function controlIntervals(page: Page): Promise<() => Promise<void>> {
  await page.evaluateOnNewDocument(() => {
    const runs = new Map<number, () => void>();
    const runIntervals = (): void => runs.forEach((run) => run());
    let last = 0;
    const setInterval = (run: () => void): number => {
      last += 1;
      runs.set(last, run);
      return last;
    };
    Object.assign(window, {
      runIntervals,
      setInterval,
      clearInterval: (id: number) => runs.delete(id),
    });
  });
  return async () => {
    await page.evaluate("runIntervals()");
    await waitUntilIdle(page);
  };
}

it("the figures on the home screen link to the requests that they count", async () => {
  await visitor.go("/");
  await visitor.see("Failures in the last 24 hours");
  const links = await visitor.page.$$eval("main a[href^='#/requests?']", (all) =>
    all.map(({ hash }) => hash),
  );
  const midnight = await visitor.page.evaluate(() => {
    const utc = new Date(new Date().setUTCHours(0, 0, 0, 0));
    const two = (part: number): string => String(part).padStart(2, "0");
    const date = [utc.getFullYear(), two(utc.getMonth() + 1), two(utc.getDate())].join("-");
    return `${date}T${two(utc.getHours())}:${two(utc.getMinutes())}`;
  });
  const today = new URLSearchParams({ failed: "true", range: "custom", from: midnight });
  const [first, ...codes] = links;
  expect(first).toBe(`#/requests?${String(today)}`);
  expect(codes).not.toEqual([]);
  for (const link of codes) expect(link).toMatch(/^#\/requests\?code=\w+&range=24h$/);
});

describe("requests", () => {
  it("load page by page", async () => {
    await visitor.go("/requests");
    await visitor.see("50 requests; more available");
    await visitor.press("Load more");
    await visitor.press("Load more");
    await visitor.see("130 requests");
    await expect.poll(rowCount).toBe(130);
    await expect
      .poll(() => lastQuery("/admin/v1/requests"))
      .toEqual({ after: "req_000000000000000000000900" });
    await visitor.press("Refresh");
    await expect.poll(rowCount).toBe(50);
  });

  it("have no further page if the rest was deleted in the meantime", async () => {
    await visitor.go("/requests");
    await visitor.see("50 requests; more available");
    const deleted = stub.data.requests.splice(50);
    await visitor.press("Load more");
    await visitor.see("50 requests");
    await expect.poll(() => visitor.page.$("::-p-text(Load more)")).toBeNull();
    stub.data.requests.push(...deleted);
  });

  it("appear automatically unless the pointer is over the list", async () => {
    const watcher = await openConsole(browser, stub);
    const runIntervals = await controlIntervals(watcher.page);
    await signIn(watcher, stub);
    await watcher.go("/requests");
    stub.data.requests.unshift({ ...stub.data.requests[0]!, id: "req_new", host: "new.example" });
    await runIntervals();
    expect(await watcher.text("tbody tr")).toContain("new.example");
    stub.data.requests.shift();
    await watcher.page.hover("tbody tr");
    await runIntervals();
    expect(await watcher.text("tbody tr")).toContain("new.example");
    await watcher.page.mouse.move(0, 0);
    await runIntervals();
    expect(await watcher.text("tbody tr")).not.toContain("new.example");
    await watcher.page.close();
  });

  it("keep the pages that were loaded while the first one was reloading", async () => {
    const watcher = await openConsole(browser, stub);
    const { page } = watcher;
    await controlIntervals(page);
    await signIn(watcher, stub);
    await watcher.go("/requests");
    const reload = Promise.withResolvers<HTTPRequest>();
    await page.setRequestInterception(true);
    page.on("request", (request) => {
      if (/\/requests(\?|$)/.test(request.url()) && !request.url().includes("after="))
        reload.resolve(request);
      else void request.continue();
    });
    await page.evaluate("runIntervals()");
    const held = await reload.promise;
    const canceled = new Promise<void>((resolve) => {
      page.on("requestfailed", (request) => {
        if (request === held) resolve();
      });
    });
    await page.locator('::-p-aria([name="Load more"][role="button"])').click();
    await watcher.see("100 requests; more available");
    await canceled;
    expect(await page.$$eval("tbody tr", (all) => all.length)).toBe(100);
    await page.close();
  });

  it("can be filtered, and stay filtered after a reload", async () => {
    await visitor.go("/requests");
    await visitor.choose("Code", "render_timeout");
    await visitor.choose("Outcome", "true");
    await visitor.choose("Cache", "MISS");
    await visitor.choose("Entry point", "signed");
    await visitor.choose("Mode", "pdf");
    await visitor.fill("Host", "www.example-3.com");
    await visitor.page.keyboard.press("Enter");
    await visitor.fill("Token id", "7");
    await visitor.fill("Account id", "acc_000000000000000000000004");
    await visitor.fill("Request id", "7b1f");
    await visitor.page.keyboard.press("Tab");
    await visitor.see("No request matches these filters.");
    const sent = {
      code: "render_timeout",
      failed: "true",
      cache: "MISS",
      entry_point: "signed",
      mode: "pdf",
      host: "www.example-3.com",
      token: "7",
      account: "acc_000000000000000000000004",
      request_id: "7b1f",
    };
    await expect.poll(() => lastQuery("/admin/v1/requests")).toEqual(sent);
    await visitor.page.reload();
    await visitor.see("No request matches these filters.");
    await expect.poll(() => lastQuery("/admin/v1/requests")).toEqual(sent);
    await visitor.page.locator("::-p-text(Clear filters)").click();
    await visitor.see("50 requests; more available");
  });

  it("stay closed when the user goes back while editing a filter", async () => {
    await visitor.go("/batches");
    await visitor.press("Requests", "link");
    await visitor.fill("Host", "example.com");
    await visitor.page.goBack();
    await visitor.see("3 batches");
    expect(visitor.page.url()).toBe(`${stub.origin}/console/#/batches`);
  });

  it("keep two filters that are set in quick succession", async () => {
    await visitor.go("/requests");
    await visitor.page.evaluate(() => {
      for (const [label, value] of [
        ["Outcome", "true"],
        ["Mode", "pdf"],
      ]) {
        const found = Array.from(document.querySelectorAll("label")).find((each) => each.innerText === label);
        const select = found?.control as HTMLSelectElement;
        select.value = value!;
        select.dispatchEvent(new Event("change", { bubbles: true }));
      }
    });
    await expect.poll(() => lastQuery("/admin/v1/requests")).toEqual({ failed: "true", mode: "pdf" });
  });

  it("are filtered by time in the viewer's time zone", async () => {
    await visitor.page.emulateTimezone("America/New_York");
    await visitor.go("/requests?range=custom&from=2026-01-02T03:04&to=2026-07-02T03:04");
    await expect
      .poll(() => lastQuery("/admin/v1/requests"))
      .toEqual({
        since: "2026-01-02T08:04:00.000Z",
        until: "2026-07-02T07:04:00.000Z",
      });
    await visitor.page.emulateTimezone();
    await visitor.choose("Time", "1h");
    const since = Date.parse(lastQuery("/admin/v1/requests")["since"]!);
    expect(Math.round((Date.now() - since) / 600_000)).toBe(6);
  });

  it("show the exact time and the untruncated text in tooltips", async () => {
    await visitor.go("/requests");
    const { at } = stub.data.requests[0]!;
    expect(
      await visitor.page.$eval("tbody time", (time) => [
        time.getAttribute("title"),
        time.getAttribute("datetime"),
      ]),
    ).toEqual([at, at]);
    expect(
      await visitor.page.$$eval(".long-text", (elements) =>
        elements.map((element) => element.getAttribute("title")),
      ),
    ).toContain(INJECTED_HTML);
  });

  it("show their parameters and rendering, and open in the playground", async () => {
    await visitor.go("/requests");
    await visitor.page.locator("tbody tr .row-link").click();
    await visitor.see(LONG_URL);
    await visitor.see("1,280 × 800 px");
    await visitor.see("Secrets are not stored");
    await visitor.press("Copy request id");
    expect(await visitor.clipboardText()).toBe("7b1f0000-0000-4000-8000-000000000000");
    await visitor.press("Open in the playground", "link");
    const value = (label: string): Promise<string> =>
      visitor.page.$eval(`::-p-aria([name="${label}"])`, (field) => (field as HTMLInputElement).value);
    expect([await value("url"), await value("quality"), await value("format")]).toEqual([
      LONG_URL,
      "80",
      "webp",
    ]);
  });

  it("say when their rendering is not cached", async () => {
    const gone = stub.data.requests.findIndex(({ cache, mode }) => cache === "MISS" && mode === "screenshot");
    stub.data.requests[gone] = { ...stub.data.requests[gone]!, cache: null };
    await visitor.go(`/requests/${stub.data.requests[gone].id}`);
    expect(await visitor.see("Open the request in the playground to render it again.")).toBe(true);
    stub.data.requests[gone] = { ...stub.data.requests[gone], host: "documents.snap.invalid" };
    await visitor.go("/requests");
    await visitor.go(`/requests/${stub.data.requests[gone].id}`);
    expect(await visitor.see("The page can be rendered again only while its document is stored.")).toBe(true);
  });
});

describe("a batch", () => {
  it("shows its items, their renderings and the delivery attempts, and resends the webhook", async () => {
    await visitor.go("/batches/batch_failing");
    await visitor.see("target_unreachable");
    await visitor.see(INJECTED_HTML);
    const thumbnails = await visitor.page.$$eval(".thumbnail img", (images) => images.map(({ src }) => src));
    expect(thumbnails).toEqual([`${stub.origin}/admin/v1/requests/req_000000000000000000000995/rendering`]);
    await visitor.page.waitForFunction(
      () => document.querySelector<HTMLImageElement>(".thumbnail img")?.naturalWidth,
    );
    for (const text of ["timed-out", "10 s", "404", "3 attempts"]) await visitor.see(text);
    await visitor.press("Send again");
    await visitor.see("Sending the webhook again.");
    await visitor.see("4 attempts");
    await visitor.see("Delivered");
    expect(
      stub.calls.find(({ method, path }) => method === "POST" && path === "/admin/v1/deliveries")?.body,
    ).toEqual({
      batch_id: "batch_failing",
    });
  });

  it("loads a token holder's thumbnails from the console's origin, and resends through /v1", async () => {
    const holder = await openConsole(browser, stub);
    await holder.go("/");
    await holder.fill("API token", "7|holder-secret");
    await holder.press("Use this token");
    await holder.go("/batches");
    await holder.page.locator("tbody tr .row-link").click();
    await holder.see("timed-out");
    const thumbnails = await holder.page.$$eval(".thumbnail img", (images) => images.map(({ src }) => src));
    expect(thumbnails).toEqual([
      `${stub.origin}/v1/snap/signed?tokenId=7&url=https%3A%2F%2Fexample.com%2F&signature=00`,
    ]);
    stub.calls.length = 0;
    await holder.press("Send again");
    await holder.see("Sending the webhook again.");
    expect(stub.calls.map(({ method, path }) => `${method} ${path}`)).toContain(
      "POST /v1/renders/batch_failing/deliveries",
    );
    expect(holder.problems).toEqual([]);
  });

  it("is polled for a token holder until its webhook is delivered", async () => {
    const holder = await openConsole(browser, stub);
    const runIntervals = await controlIntervals(holder.page);
    await holder.go("/");
    await holder.fill("API token", "7|holder-secret");
    await holder.press("Use this token");
    await holder.go("/batches/batch_pending");
    await holder.see("No attempts yet.");
    const index = stub.data.batches.findIndex(({ id }) => id === "batch_pending");
    const pending = stub.data.batches[index]!;
    const now = new Date().toISOString();
    const complete = { ...pending, status: "complete", finished_at: now } as const;
    stub.data.batches[index] = complete;
    await runIntervals();
    await holder.see("Complete");
    stub.data.batches[index] = {
      ...complete,
      webhook: { ...pending.webhook!, delivered_at: now },
    };
    stub.data.deliveries.push({ ...stub.data.deliveries[0]!, id: "dlv_first", batch_id: "batch_pending" });
    await runIntervals();
    await holder.see("1 attempt");
    stub.calls.length = 0;
    await runIntervals();
    // pages of other tests may still be polling
    expect(stub.calls.filter(({ path }) => path.includes("batch_pending"))).toEqual([]);
    stub.data.batches[index] = pending;
    await holder.page.close();
  });
});

describe("usage", () => {
  it("is shown for a range as charts and tables, and as a CSV download", async () => {
    await visitor.go("/usage?from=2026-10-01&to=2026-10-10&account=acc_1");
    await visitor.see("Requests by day");
    expect(await visitor.page.$$eval(".plot canvas", (all) => all.length)).toBe(2);
    const queries = stub.calls.filter(({ path }) => path === "/admin/v1/usage").slice(-3);
    expect(queries.map(({ query }) => String(query)).toSorted()).toEqual([
      "from=2026-10-01&to=2026-10-10&account=acc_1&by=account",
      "from=2026-10-01&to=2026-10-10&account=acc_1&by=day",
      "from=2026-10-01&to=2026-10-10&account=acc_1&by=token",
    ]);
    await visitor.page.locator("::-p-text(Show as a table)").click();
    const days = await visitor.page.$$eval(".chart:first-of-type tbody tr td:first-child", (all) =>
      all.map((cell) => cell.textContent),
    );
    // includes a day without usage
    expect(days.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, index) => `${index + 1} Oct`));
    expect(await visitor.page.$eval("a[download]", (link) => link.href)).toBe(
      `${stub.origin}/admin/v1/usage?from=2026-10-01&to=2026-10-10&account=acc_1&by=day&format=csv`,
    );
  });

  it("keeps its range while a date is being typed", async () => {
    await visitor.go("/usage?from=2026-10-01&to=2026-10-10");
    const type = (value: string): Promise<void> =>
      visitor.page.$eval(
        "input[type=date]",
        (field, text) => {
          field.value = text;
          field.dispatchEvent(new Event("input", { bubbles: true }));
        },
        value,
      );
    for (const unfinished of ["", "0002-10-03", "0202-10-03"]) await type(unfinished);
    expect(await visitor.page.evaluate(() => location.hash)).toBe("#/usage?from=2026-10-01&to=2026-10-10");
    await type("2026-10-03");
    expect(await visitor.page.evaluate(() => location.hash)).toBe("#/usage?from=2026-10-03&to=2026-10-10");
  });

  it("rejects a range that ends before it starts", async () => {
    await visitor.go("/usage?from=2026-10-10&to=2026-10-01");
    const message = "Choose two valid days; the first must not be after the last.";
    expect(await visitor.see(message)).toBe(true);
  });
});

it("a list that failed to load can be reloaded", async () => {
  await visitor.go("/nowhere");
  stub.scenario = "failing";
  await visitor.press("Batches", "link");
  await visitor.see("Cannot load the batches");
  await visitor.see("The service failed. Report the request id.");
  stub.scenario = "normal";
  await visitor.press("Reload");
  await visitor.see("3 batches");
  expect(visitor.problems).toEqual([]);
});
