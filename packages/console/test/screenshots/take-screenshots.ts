import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "puppeteer";
import sharp from "sharp";
import {
  emulateColorScheme,
  openBrowser,
  openConsole,
  signIn,
  waitUntilIdle,
  type Visitor,
} from "../browser/open-console.ts";
import { startStub } from "../stub/stub-server.ts";
import { BATCH_ID, prepareForScreenshots } from "./showcase.ts";

/*
 * `pnpm exec node packages/console/test/screenshots/take-screenshots.ts [SCREEN...]` takes the screenshots in
 * docs/how-to/use-the-console.md: the built console with sample data, at a fixed time.
 */

const IMAGES_FOLDER = fileURLToPath(new URL("../../../../docs/images", import.meta.url));
const NOW_MS = Date.parse("2026-11-25T14:30:00Z");
/** As in the docs, because the playground's code shows it. */
const PORT = 3000;

interface Screen {
  readonly name: string;
  readonly route: string;
  /** Fills in the form of the screen, and waits for the result. */
  readonly submit?: (visitor: Visitor) => Promise<void>;
  /** For long screens, whose top is enough; in CSS pixels. */
  readonly maxHeight?: number;
}

const SIGN_IN: Screen = { name: "sign-in", route: "/" };
const OPERATOR_SCREENS: readonly Screen[] = [
  { name: "home", route: "/" },
  {
    name: "playground",
    route: "/playground?url=https%3A%2F%2Fwww.northwind.example%2F",
    submit: render,
    maxHeight: 1090,
  },
  { name: "requests", route: "/requests", maxHeight: 760 },
  { name: "request", route: "/requests/req_000000000000000000000999" },
  { name: "batches", route: "/batches" },
  { name: "batch", route: `/batches/${BATCH_ID}` },
  { name: "accounts", route: "/accounts" },
  { name: "account", route: "/accounts/acc_000000000000000000000001" },
  { name: "usage", route: "/usage" },
];

/** Sizes in CSS pixels. A screenshot is as tall as its content, within these limits. */
const LOOKS = [
  { suffix: "", scheme: "light", width: 1280, minHeight: 640, maxHeight: 1200, deviceScaleFactor: 1 },
  { suffix: "-dark", scheme: "dark", width: 1280, minHeight: 640, maxHeight: 1200, deviceScaleFactor: 1 },
  { suffix: "-phone", scheme: "light", width: 375, minHeight: 640, maxHeight: 900, deviceScaleFactor: 2 },
] as const;

/** Halves the file size of a screenshot. */
const PALETTE = { palette: true, quality: 90, dither: 0, compressionLevel: 9 } as const;

async function render(visitor: Visitor): Promise<void> {
  await visitor.fill("API token", "7|holder-secret");
  await visitor.press("Render");
  await visitor.see("1,280 × 800 px");
  // the only figure that differs between runs
  await visitor.page.$eval("::-p-xpath(//dt[.='Time']/following-sibling::dd)", (time) => {
    time.textContent = "840 ms";
  });
}

async function openAtFixedTime(browser: Browser, origin: string): Promise<Visitor> {
  const visitor = await openConsole(browser, { origin, base: "/console/" });
  await visitor.page.emulateTimezone("UTC");
  await visitor.page.evaluateOnNewDocument((nowMs) => {
    globalThis.Date = class extends Date {
      constructor(at: number | string = nowMs) {
        super(at);
      }
      static override now = (): number => nowMs;
    } as DateConstructor;
  }, NOW_MS);
  return visitor;
}

async function takeScreenshots(visitor: Visitor, screen: Screen): Promise<void> {
  for (const { suffix, scheme, ...size } of LOOKS) {
    const { page } = visitor;
    await emulateColorScheme(page, scheme);
    await resize(page, { ...size, height: size.minHeight });
    await visitor.go(screen.route);
    await screen.submit?.(visitor);
    const height = await page.evaluate(() => {
      scrollTo(0, 0);
      return document.documentElement.scrollHeight;
    });
    await resize(page, { ...size, height: Math.min(height, size.maxHeight, screen.maxHeight ?? height) });
    await page.mouse.move(0, 0);
    const screenshot = await sharp(await page.screenshot())
      .png(PALETTE)
      .toBuffer();
    await writeFile(`${IMAGES_FOLDER}/console/${screen.name}${suffix}.png`, screenshot);
    console.log(`${screen.name}${suffix}: ${Math.ceil(screenshot.byteLength / 1024)} KB`);
  }
}

/** Also waits until the charts are drawn at the new width, and the images are loaded. */
async function resize(page: Page, size: Parameters<Page["setViewport"]>[0]): Promise<void> {
  await page.setViewport(size);
  if (page.url() === "about:blank") return;
  await waitUntilIdle(page);
  await page.waitForFunction(() => Array.from(document.images).every(({ complete }) => complete));
}

const names = process.argv.slice(2);
const isWanted = ({ name }: Screen): boolean => names.length === 0 || names.includes(name);
await mkdir(`${IMAGES_FOLDER}/console`, { recursive: true });
const [stub, browser] = await Promise.all([startStub(PORT, "/console/", () => NOW_MS), openBrowser()]);
try {
  stub.image = await readFile(`${IMAGES_FOLDER}/demo.png`);
  prepareForScreenshots(stub);
  const guest = await openAtFixedTime(browser, stub.origin);
  if (isWanted(SIGN_IN)) await takeScreenshots(guest, SIGN_IN);
  const operator = await openAtFixedTime(browser, stub.origin);
  await signIn(operator, stub);
  for (const screen of OPERATOR_SCREENS.filter(isWanted)) await takeScreenshots(operator, screen);
} finally {
  await browser.close();
  await stub.close();
}
