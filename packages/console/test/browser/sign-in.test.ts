// @module-tag browser
import type { Browser } from "puppeteer";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Stub } from "../stub/responses.ts";
import { startStub } from "../stub/stub-server.ts";
import { openBrowser, openConsole, signIn, waitUntilIdle, type Visitor } from "./open-console.ts";

let stub: Stub;
let browser: Browser;
let visitor: Visitor;
beforeAll(async () => {
  [stub, browser] = await Promise.all([startStub(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await stub.close();
});
beforeEach(async () => {
  visitor = await openConsole(browser, stub);
  stub.calls.length = 0;
});
// otherwise the page keeps polling during the next test
afterEach(() => visitor.page.close());

const signIns = (): unknown[] =>
  stub.calls
    .filter(({ method, path }) => `${method} ${path}` === "POST /admin/v1/sign-in")
    .map(({ body }) => body);

describe("a sign-in link", () => {
  it("is exchanged once, and disappears from the address and the browser history", async () => {
    stub.codes.add("from-the-terminal");
    await visitor.go("sign-in=from-the-terminal");
    await visitor.see("Ready, with problems");
    await expect.poll(signIns).toEqual([{ code: "from-the-terminal" }]);
    await expect.poll(() => visitor.page.url()).toBe(`${stub.origin}/console/#/`);
    await visitor.page.reload();
    await visitor.see("Ready, with problems");
    await expect.poll(signIns).toHaveLength(1);
    await visitor.page.goBack();
    await expect.poll(() => visitor.page.url()).toBe("about:blank");
  });

  it("says what to do if it has already been used", async () => {
    await visitor.go("sign-in=used");
    await visitor.see("This sign-in link has already been used or has expired. Create a new one.");
    expect(await visitor.see("snap-server console")).toBe(true);
  });

  it("works in a tab that already shows the console", async () => {
    await visitor.go("/");
    stub.codes.add("second");
    await visitor.page.evaluate(() => {
      location.hash = "#sign-in=second";
    });
    await visitor.see("Ready, with problems");
    await expect.poll(signIns).toEqual([{ code: "second" }]);
  });

  it("is not undone by a late 401 to an earlier session check", async () => {
    const late = Promise.withResolvers<void>();
    stub.before = async ({ path, cookie }) => {
      if (path === "/admin/v1/session" && cookie === null) await late.promise;
    };
    await visitor.page.goto(`${stub.origin}/console/`);
    await visitor.see("Loading the console");
    stub.codes.add("later");
    await visitor.page.evaluate(() => {
      location.hash = "#sign-in=later";
    });
    await visitor.see("Ready, with problems");
    const rejected = visitor.page.waitForResponse(
      (response) => response.url().endsWith("/session") && response.status() === 401,
    );
    late.resolve();
    await rejected;
    await waitUntilIdle(visitor.page);
    expect(await visitor.text("h1")).toBe("Home");
    stub.before = async () => {};
  });

  it("that is invalid leaves a token holder signed in, and shows a notice", async () => {
    await visitor.go("/");
    await visitor.fill("API token", "7|holder-secret");
    await visitor.press("Use this token");
    await visitor.page.evaluate(() => {
      location.hash = "#sign-in=used";
    });
    await visitor.see("This sign-in link has already been used or has expired. Create a new one.");
    expect(await visitor.see("Token 7")).toBe(true);
  });
});

it("the console works under any path", async () => {
  const deep = await startStub(0, "/tools/snap/console/");
  const other = await openConsole(browser, deep);
  await signIn(other, deep);
  await other.go("/playground?url=https%3A%2F%2Fexample.com%2F");
  await other.fill("API token", "7|holder-secret");
  await other.press("Render");
  await other.see("1,280 × 800 px");
  await other.see(`'${deep.origin}/tools/snap/v1/snap'`);
  expect(deep.calls.map(({ path }) => path)).toContain("/v1/snap");
  expect(other.problems).toEqual([]);
  await other.page.close();
  await deep.close();
});

describe("the operator", () => {
  it("ends the session by signing out", async () => {
    await signIn(visitor, stub);
    await expect.poll(() => stub.sessions.size).toBeGreaterThan(0);
    const before = stub.sessions.size;
    await visitor.press("Sign out");
    await visitor.see("You are signed out.");
    await expect.poll(() => stub.sessions.size).toBe(before - 1);
    await visitor.go("/requests");
    await visitor.see("Sign in");
  });

  it("must sign in again after the session ends", async () => {
    await signIn(visitor, stub);
    stub.sessions.clear();
    await visitor.press("Requests", "link");
    expect(await visitor.see("Your session has ended. Create a new sign-in link.")).toBe(true);
  });

  it("leaves no token behind, even if the session has already ended", async () => {
    await signIn(visitor, stub);
    await visitor.go("/playground");
    await visitor.fill("API token", "7|holder-secret");
    stub.sessions.clear();
    await visitor.press("Sign out");
    await visitor.see("Your session has ended.");
    expect(await visitor.page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  it("sees an error if the service is unreachable during sign-in, and can try again", async () => {
    const down = await startStub();
    const other = await openConsole(browser, down);
    await other.go("/");
    await other.see("Sign in");
    await other.page.setOfflineMode(true);
    await other.page.evaluate(() => {
      location.hash = "#sign-in=correct-code";
    });
    expect(await other.see("The service cannot be reached.")).toBe(true);
    await other.page.setOfflineMode(false);
    down.codes.add("correct-code");
    await other.press("Try again");
    expect(await other.see("Ready, with problems")).toBe(true);
    await down.close();
  });
});

describe("a token holder", () => {
  it("sees the playground, the batches and the usage of their account, through /v1 only", async () => {
    await visitor.go("/");
    stub.calls.length = 0;
    await visitor.fill("API token", " 7|holder-secret ");
    await visitor.press("Use this token");
    await visitor.see("Token 7");
    const screens = await visitor.page.$$eval("nav a", (links) => links.map((link) => link.textContent));
    expect(screens).toEqual(["Playground", "Batches", "Usage"]);
    await visitor.press("Batches", "link");
    await visitor.press("Usage", "link");
    await visitor.see("1,015,433");
    for (const screen of ["home", "requests", "accounts/acc_000000000000000000000001"]) {
      await visitor.go(`/${screen}`);
      await visitor.see("A token has no screen at this address.");
    }
    expect(stub.calls.filter(({ path }) => path.startsWith("/admin/"))).toEqual([]);
    expect(new Set(stub.calls.map(({ token }) => token))).toEqual(new Set(["7|holder-secret"]));
  });

  it("sees no part of a token without an id", async () => {
    stub.tokens.add("a-secret-without-an-id");
    await visitor.go("/");
    await visitor.fill("API token", "a-secret-without-an-id");
    await visitor.press("Use this token");
    await visitor.see("Token without an id");
    expect(await visitor.page.evaluate(() => document.body.innerText)).not.toContain("a-secret");
  });

  it("sees an error if the text cannot be a token, and nothing is sent", async () => {
    await visitor.go("/");
    stub.calls.length = 0;
    await visitor.fill("API token", "7|ключ");
    await visitor.press("Use this token");
    await visitor.see("must be a token such as 7|…, in ASCII and without spaces");
    expect(stub.calls).toEqual([]);
  });

  it("stays signed in after a reload, but not in other tabs", async () => {
    await visitor.go("/");
    await visitor.fill("API token", "7|holder-secret");
    await visitor.press("Use this token");
    await visitor.page.reload();
    await visitor.see("Token 7");
    const other = await visitor.page.browserContext().newPage();
    await other.goto(`${stub.origin}/console/`);
    await other.waitForSelector("::-p-text(With an API token)");
    await visitor.press("Sign out");
    await visitor.see("You are signed out.");
    expect(await visitor.page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
  });

  it("sees an error if the token is unknown or no longer accepted", async () => {
    await visitor.go("/");
    await visitor.fill("API token", "9|wrong");
    await visitor.press("Use this token");
    await visitor.see("is unknown, revoked or expired");
    stub.tokens.add("9|right");
    await visitor.fill("API token", "9|right");
    await visitor.press("Use this token");
    await visitor.see("Token 9");
    stub.tokens.delete("9|right");
    await visitor.press("Batches", "link");
    expect(await visitor.see("The service no longer accepts your token.")).toBe(true);
  });
});
