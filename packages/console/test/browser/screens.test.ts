// @module-tag browser
import axe from "axe-core";
import type { Browser } from "puppeteer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Stub } from "../stub/responses.ts";
import { startStub } from "../stub/stub-server.ts";
import { emulateColorScheme, openBrowser, openConsole, signIn, type Visitor } from "./open-console.ts";

let stub: Stub;
let browser: Browser;
beforeAll(async () => {
  [stub, browser] = await Promise.all([startStub(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await stub.close();
});

const ACCOUNT = "accounts/acc_000000000000000000000001";
const PLAYGROUND = "playground?url=https%3A%2F%2Fexample.com%2F";

interface ScreenCase {
  readonly what: string;
  readonly route: string;
  readonly heading: string;
  /** Opens a dialog or another initially hidden part. */
  readonly open?: (visitor: Visitor) => Promise<void>;
}

const EMAIL = "billing@northwind.example";

const OPERATOR_SCREENS: readonly ScreenCase[] = [
  { what: "home", route: "", heading: "Home" },
  { what: "a rendering", route: PLAYGROUND, heading: "Playground", open: renderImage },
  {
    what: "invalid parameters",
    route: `${PLAYGROUND}&scale=9`,
    heading: "Playground",
    open: press("Render"),
  },
  {
    what: "the form that signs the URL of a PDF",
    route: `${PLAYGROUND}&pdf=true`,
    heading: "Playground",
    open: press("<img>", "tab"),
  },
  { what: "HTML", route: "playground?html=%3Ch1%3EHello%3C%2Fh1%3E", heading: "Playground" },
  { what: "requests", route: "requests?range=custom", heading: "Requests" },
  { what: "a successful request", route: "requests/req_000000000000000000000999", heading: "Request" },
  { what: "a failed request", route: "requests/req_000000000000000000000994", heading: "Request" },
  { what: "an unknown request", route: "requests/req_none", heading: "Request" },
  { what: "batches", route: "batches", heading: "Batches" },
  { what: "a batch", route: "batches/batch_failing", heading: "Batch" },
  { what: "a pending batch", route: "batches/batch_pending", heading: "Batch" },
  { what: "accounts", route: "accounts", heading: "Accounts" },
  { what: "a new account", route: "accounts", heading: "Accounts", open: press("Create an account") },
  { what: "an account", route: ACCOUNT, heading: EMAIL },
  { what: "a new token", route: ACCOUNT, heading: EMAIL, open: press("Create a token") },
  { what: "a rotation", route: ACCOUNT, heading: EMAIL, open: press("Rotate token 7") },
  { what: "a revocation", route: ACCOUNT, heading: EMAIL, open: press("Revoke token 7") },
  { what: "a deletion", route: ACCOUNT, heading: EMAIL, open: press("Delete account…") },
  { what: "usage", route: "usage", heading: "Usage" },
  { what: "an unknown screen", route: "nowhere", heading: "No such screen" },
];
const HOLDER_SCREENS: readonly ScreenCase[] = [
  { what: "the playground", route: "", heading: "Playground", open: renderImage },
  { what: "batches", route: "batches", heading: "Batches" },
  { what: "a batch", route: "batches/batch_failing", heading: "Batch" },
  { what: "usage", route: "usage", heading: "Usage" },
  { what: "an operator screen", route: "accounts", heading: "No such screen" },
];

function press(...target: Parameters<Visitor["press"]>): (visitor: Visitor) => Promise<void> {
  return (visitor) => visitor.press(...target);
}

async function renderImage(visitor: Visitor): Promise<void> {
  if (await visitor.page.$("::-p-aria([name='API token'])"))
    await visitor.fill("API token", "7|holder-secret");
  await visitor.fill("url", "https://example.com/");
  await visitor.press("Render");
  await visitor.page.waitForSelector(".image img");
}

/** Returns axe's violations, one text for each element. */
async function findings({ page }: Visitor, options: axe.RunOptions = {}): Promise<readonly string[]> {
  if (await page.evaluate(() => !("axe" in window))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (runOptions) => (window as unknown as { axe: typeof axe }).axe.run(runOptions),
    options,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} ${html} ${failureSummary}`),
  );
}

const CONTRAST = "color-contrast";

/**
 * Returns the problems of a screen in both color schemes and on a phone, with its heading and title. The color scheme
 * changes only colors, and a phone only the layout.
 */
async function inspect(visitor: Visitor): Promise<object> {
  const { page, problems } = visitor;
  await emulateColorScheme(page, "light");
  const light = await findings(visitor);
  await emulateColorScheme(page, "dark");
  const dark = await findings(visitor, { runOnly: [CONTRAST] });
  await page.setViewport({ width: 375, height: 800 });
  const phone = await findings(visitor, { rules: { [CONTRAST]: { enabled: false } } });
  const excessPx = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  await page.setViewport({ width: 1440, height: 900 });
  // text that looks like markup must not become elements
  const forged = await page.$$eval('img[src="x"], #app script', (elements) => elements.length);
  const names = [await visitor.text("h1"), await page.title()];
  return { light, dark, phone, excessPx, forged, problems, names };
}

const fine = (heading: string): object => ({
  light: [],
  dark: [],
  phone: [],
  excessPx: 0,
  forged: 0,
  problems: [],
  names: [heading, `${heading} · snap console`],
});

describe("each screen is accessible, fits a phone, obeys the content security policy and loads nothing from other origins:", () => {
  it("sign in", async () => {
    const visitor = await openConsole(browser, stub);
    await visitor.go("sign-in=wrong");
    await visitor.see("This sign-in link has already been used or has expired.");
    expect(await inspect(visitor)).toEqual(fine("Sign in"));
  });

  let operator: Visitor;
  let holder: Visitor;
  beforeAll(async () => {
    operator = await openConsole(browser, stub);
    await signIn(operator, stub);
    holder = await openConsole(browser, stub);
    await holder.go("/");
    await holder.fill("API token", "7|holder-secret");
    await holder.press("Use this token");
    await holder.see("Playground");
  });

  it.each(OPERATOR_SCREENS)("$what, for the operator", async ({ route, heading, open }) => {
    await operator.go(`/${route}`);
    await open?.(operator);
    expect(await inspect(operator)).toEqual(fine(heading));
  });

  it.each(HOLDER_SCREENS)("$what, for a token holder", async ({ route, heading, open }) => {
    await holder.go(`/${route}`);
    await open?.(holder);
    expect(await inspect(holder)).toEqual(fine(heading));
  });

  it.each([["empty"], ["failing"], ["hanging"]] as const)("with a service that is %s", async (scenario) => {
    const visitor = await openConsole(browser, stub);
    await signIn(visitor, stub);
    stub.scenario = scenario;
    for (const heading of ["Requests", "Batches", "Accounts", "Usage", "Home"]) {
      await visitor.page.evaluate((hash) => {
        location.hash = hash;
      }, `/${heading.toLowerCase()}`);
      await visitor.page.waitForFunction(
        (text) =>
          document.querySelector("h1")?.innerText === text && document.querySelector(".state, .failure"),
        {},
        heading,
      );
      expect(await inspect(visitor)).toEqual(fine(heading));
    }
    stub.scenario = "normal";
    await visitor.page.close();
  });
});

it("the home screen shows no stale state", async () => {
  const visitor = await openConsole(browser, stub);
  await signIn(visitor, stub);
  await visitor.see("Ready");
  stub.scenario = "failing";
  // makes the screen reload
  await visitor.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  expect(await visitor.see("State unknown")).toBe(true);
  stub.scenario = "normal";
  await visitor.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  expect(await visitor.see("Ready")).toBe(true);
  await visitor.page.close();
});

it("these checks detect an inline style, a request to another origin and an unlabeled control", async () => {
  const visitor = await openConsole(browser, stub);
  await visitor.go("/");
  await visitor.page.evaluate(() => {
    document.body.setAttribute("style", "color: red");
    document.body.append(document.createElement("input"));
    new Image().src = "https://elsewhere.invalid/";
  });
  const injection = visitor.page.evaluate(() => {
    document.body.innerHTML = "<b>markup</b>";
  });
  await expect(injection).rejects.toThrow("TrustedHTML");
  await visitor.page.waitForFunction(() => document.querySelector("body > input") !== null);
  expect(visitor.problems.join()).toContain("style-src 'self'");
  expect(visitor.problems.join()).toContain("elsewhere.invalid");
  expect((await findings(visitor)).join()).toContain("label");
});
