// @module-tag browser
import type { Browser } from "puppeteer";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Call, Stub } from "../stub/responses.ts";
import { startStub } from "../stub/stub-server.ts";
import { openBrowser, openConsole, signIn, type Visitor } from "./open-console.ts";

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

const ACCOUNT = "/accounts/acc_000000000000000000000001";

/** The last request that was not a GET. */
const lastChange = (): Pick<Call, "method" | "path" | "body"> => {
  const { method, path, body } = stub.calls.findLast((call) => call.method !== "GET")!;
  return { method, path, body };
};
/** The title of the open dialog. */
const dialogTitle = (): Promise<string | null> =>
  visitor.page.evaluate(() => document.querySelector("dialog h2")?.textContent ?? null);

it("creates an account, and names an invalid field", async () => {
  await visitor.go("/accounts");
  await visitor.press("Create an account");
  await visitor.fill("Email", "nobody");
  await visitor.press("Create account");
  await visitor.see("must be an email address");
  await visitor.fill("Email", "new@example.com");
  await visitor.fill("Credit override", "5,000");
  await visitor.press("Create account");
  await visitor.see("Account new@example.com created.");
  await expect.poll(lastChange).toEqual({
    method: "POST",
    path: "/admin/v1/accounts",
    body: {
      email: "new@example.com",
      plan: "starter",
      credits_per_period: 5000,
      requests_per_minute: null,
      verified: true,
    },
  });
  await expect.poll(() => visitor.page.url()).toBe(`${stub.origin}/console/#/accounts/acc_created`);
  await visitor.see("No tokens yet.");
});

it("offers the first plan for a new account, even if the plans load late", async () => {
  const late = Promise.withResolvers<void>();
  stub.before = async ({ path }) => {
    if (path === "/admin/v1/plans") await late.promise;
  };
  await visitor.page.goto("about:blank");
  await visitor.page.goto(`${stub.origin}/console/#/accounts`);
  await visitor.page.locator("::-p-aria([name='Create an account'])").click();
  await visitor.see("Loading the plans");
  late.resolve();
  const plan = await visitor.page.waitForSelector("dialog select");
  expect(await plan?.evaluate((select) => select.value)).toBe("starter");
  stub.before = async () => {};
});

it("does not report a missing plan before the plans are loaded", async () => {
  const late = Promise.withResolvers<void>();
  stub.before = async ({ path }) => {
    if (path === "/admin/v1/plans") await late.promise;
  };
  await visitor.page.goto("about:blank");
  await visitor.page.goto(`${stub.origin}/console/#${ACCOUNT}`);
  await visitor.see("Save changes");
  expect(await visitor.page.$("::-p-text(This plan does not exist)")).toBeNull();
  late.resolve();
  await visitor.see("credits per period,");
  stub.before = async () => {};
});

it("creates an account without leaving a screen that was opened in the meantime", async () => {
  const late = Promise.withResolvers<void>();
  stub.before = async ({ method }) => {
    if (method === "POST") await late.promise;
  };
  await visitor.go("/accounts");
  await visitor.press("Create an account");
  await visitor.fill("Email", "slow@example.com");
  await visitor.page.locator("::-p-aria([name='Create account'])").click();
  await visitor.page.keyboard.press("Escape");
  await visitor.page.locator("nav a[href='#/playground']").click();
  await visitor.page.waitForSelector("::-p-aria([name='Render'])");
  late.resolve();
  await visitor.see("Account slow@example.com created.");
  expect(visitor.page.url()).toBe(`${stub.origin}/console/#/playground`);
  stub.before = async () => {};
});

it("sends only changed fields, and clears overrides", async () => {
  await visitor.go(ACCOUNT);
  expect(
    await visitor.page.$eval("::-p-text(Save changes)", (button) => (button as HTMLButtonElement).disabled),
  ).toBe(true);
  await visitor.choose("Plan", "growth");
  await visitor.fill("Rate limit override", "");
  await visitor.press("Save changes");
  await visitor.see("Account changed.");
  await expect.poll(lastChange).toEqual({
    method: "PATCH",
    path: `/admin/v1${ACCOUNT}`,
    body: { plan: "growth", requests_per_minute: null },
  });
});

it("verifies an account, suspends it after confirmation, and resumes it", async () => {
  await visitor.go("/accounts/acc_000000000000000000000004");
  stub.scenario = "failing";
  await visitor.press("Verify email address");
  await visitor.see("The service failed. Report the request id.");
  stub.scenario = "normal";
  await visitor.press("Verify email address");
  await visitor.see("studio@fabrikam.example is verified.");
  stub.scenario = "failing";
  await visitor.press("Suspend");
  await expect.poll(dialogTitle).toBe("Suspend studio@fabrikam.example?");
  await visitor.press("Suspend account");
  await visitor.page.waitForSelector("dialog .failure");
  stub.scenario = "normal";
  await visitor.press("Cancel");
  await visitor.press("Suspend");
  await expect.poll(dialogTitle).toBe("Suspend studio@fabrikam.example?");
  expect(await visitor.page.$("dialog .failure")).toBe(null);
  await visitor.press("Suspend account");
  await visitor.see("studio@fabrikam.example is suspended.");
  await expect.poll(() => lastChange().path).toBe("/admin/v1/accounts/acc_000000000000000000000004/suspend");
  await visitor.press("Resume");
  await visitor.see("studio@fabrikam.example is no longer suspended.");
});

it("does not undo what another operator has changed in the meantime", async () => {
  await visitor.go("/accounts/acc_000000000000000000000004");
  await visitor.see("studio@fabrikam.example");
  stub.data.accounts[3] = { ...stub.data.accounts[3]!, plan: "scale" };
  await visitor.press("Suspend");
  await visitor.press("Suspend account");
  await visitor.see("studio@fabrikam.example is suspended.");
  await visitor.press("Resume");
  await visitor.see("studio@fabrikam.example is no longer suspended.");
  await visitor.fill("Rate limit override", "60");
  await visitor.press("Save changes");
  await visitor.see("Account changed.");
  await expect.poll(() => lastChange().body).toEqual({ requests_per_minute: 60 });
});

it("keeps what is edited while a change is being saved", async () => {
  await visitor.go("/accounts/acc_000000000000000000000004");
  await visitor.see("studio@fabrikam.example");
  const release = Promise.withResolvers<void>();
  const isSaving = Promise.withResolvers<void>();
  stub.before = async ({ method }) => {
    if (method !== "PATCH") return;
    isSaving.resolve();
    await release.promise;
  };
  await visitor.fill("Rate limit override", "70");
  const saving = visitor.press("Save changes");
  await isSaving.promise;
  await visitor.fill("Credit override", "900");
  release.resolve();
  await saving;
  await visitor.see("Account changed.");
  stub.before = async () => {};
  await visitor.press("Save changes");
  await expect.poll(() => lastChange().body).toEqual({ credits_per_period: 900 });
});

it("shows the credentials of a new token once, and passes the token to the playground", async () => {
  await visitor.go(ACCOUNT);
  await visitor.press("Create a token");
  await visitor.fill("Name", "blog");
  await visitor.choose("May render", "screenshot");
  await visitor.choose("Expires", "2592000");
  await visitor.press("Create token");
  await expect
    .poll(() => lastChange().body)
    .toEqual({
      account_id: "acc_000000000000000000000001",
      abilities: ["screenshot"],
      name: "blog",
      expires_in_seconds: 2_592_000,
    });
  await expect.poll(dialogTitle).toBe("Credentials of token 42");
  const shown = await visitor.page.$$eval("dialog input", (inputs) => inputs.map((input) => input.value));
  expect(shown).toEqual(["42|secret-of-token-42", "s3cret-of-the-token"]);
  await visitor.press("Copy signing secret");
  expect(await visitor.clipboardText()).toBe("s3cret-of-the-token");
  // outside the dialog, the notice would be inert
  expect(await visitor.text("dialog .notice")).toBe("Signing secret copied.");
  await visitor.press("Use in the playground");
  await expect.poll(() => visitor.page.url()).toBe(`${stub.origin}/console/#/playground`);
  await visitor.fill("url", "https://example.com/");
  await visitor.press("Render");
  await visitor.see("1,280 × 800 px");
  await expect
    .poll(() => stub.calls.at(-1))
    .toMatchObject({ path: "/v1/snap", token: "42|secret-of-token-42" });
  await visitor.go(ACCOUNT);
  await visitor.see("blog");
  expect(await visitor.page.content()).not.toContain("secret-of-token-42");
});

it("rotates a token with an overlap", async () => {
  await visitor.go(ACCOUNT);
  await visitor.press("Rotate token 7");
  await visitor.choose("Previous credentials stop working", "3600");
  await visitor.press("Rotate token 7");
  await expect.poll(lastChange).toEqual({
    method: "POST",
    path: "/admin/v1/tokens/7/rotate",
    body: { overlap_seconds: 3600 },
  });
  await expect.poll(dialogTitle).toBe("Credentials of token 7");
  await visitor.see("The previous credentials work until");
  await visitor.press("Done");
});

it("reveals a signing secret only after a click", async () => {
  await visitor.go(ACCOUNT);
  await visitor.press("Reveal token 7");
  await expect.poll(() => lastChange().path).not.toContain("reveal");
  await visitor.press("Reveal secret");
  expect(await visitor.page.$eval("dialog input", (input) => input.value)).toBe("s3cret-of-the-token");
  await expect.poll(lastChange).toEqual({ method: "POST", path: "/admin/v1/tokens/7/reveal", body: null });
});

it("revokes the token that the confirmation names", async () => {
  await visitor.go(ACCOUNT);
  await visitor.press("Revoke token 7");
  await expect.poll(dialogTitle).toBe("Revoke token 7, “Invoices, nightly run”?");
  await visitor.press("Cancel");
  await expect.poll(dialogTitle).toBe(null);
  await visitor.press("Revoke token 7");
  await visitor.press("Revoke token 7");
  await visitor.see("Token 7 revoked.");
  await expect.poll(lastChange).toEqual({ method: "DELETE", path: "/admin/v1/tokens/7", body: null });
});

it("deletes an account only after its email address is typed", async () => {
  await visitor.go("/accounts/acc_000000000000000000000005");
  await visitor.press("Delete account…");
  const isDisabled = (): Promise<boolean> =>
    visitor.page.$eval("dialog .danger", (button) => (button as HTMLButtonElement).disabled);
  await expect.poll(isDisabled).toBe(true);
  await visitor.fill("Type newsletter@contoso.example to confirm", "newsletter@contoso.example");
  await visitor.page.locator("dialog [type=checkbox]").click();
  await expect.poll(isDisabled).toBe(false);
  await visitor.press("Cancel");
  await visitor.press("Delete account…");
  await expect.poll(isDisabled).toBe(true);
  await visitor.fill("Type newsletter@contoso.example to confirm", "newsletter@contoso.example");
  await visitor.press("Delete account");
  await visitor.see("Account newsletter@contoso.example deleted.");
  expect(stub.calls.findLast(({ method }) => method === "DELETE")).toMatchObject({
    path: "/admin/v1/accounts/acc_000000000000000000000005",
    query: new URLSearchParams({ purge: "false" }),
  });
  expect(visitor.problems).toEqual([]);
});
