import type { PdfParameters, ScreenshotParameters } from "@snap/protocol";
import { expect } from "vitest";
import type * as z from "zod";
import { pdfParameters, screenshotParameters } from "../../src/parameters/schemas.ts";
import { createPuppeteerRenderer, type PuppeteerRendererOptions } from "../../src/puppeteer/index.ts";
import type { Renderer } from "../../src/ports/renderer.ts";
import type { TargetPolicy } from "../../src/targets/policy.ts";

/** The tests' sites are on the loopback; nothing else of it may be reached. */
export function allowPorts(...ports: number[]): TargetPolicy {
  return {
    allow: ports.map((port) => ({ kind: "block", address: "127.0.0.1", prefixLength: 32, port })),
    ownHostnames: [],
  };
}

export function openRenderer(ports: number[], options: PuppeteerRendererOptions = {}): Renderer {
  return createPuppeteerRenderer({ targets: allowPorts(...ports), ...options });
}

export type ScreenshotOptions = Partial<z.input<typeof screenshotParameters>>;

export function screenshot(url: string, options: ScreenshotOptions = {}): ScreenshotParameters {
  return screenshotParameters.parse({ url, waitUntil: "load", ...options });
}

/** Without a `waitUntil`, as most callers send it. */
export function defaultScreenshot(url: string): ScreenshotParameters {
  return screenshotParameters.parse({ url });
}

export function pdf(url: string, options: object = {}): PdfParameters {
  return pdfParameters.parse({ url, pdf: true, ...options });
}

/** The error that a render is expected to end with. */
export async function failureOf(render: Promise<unknown>): Promise<{ code: string; message: string }> {
  const failure = await render.then(
    () => expect.fail("the render succeeded"),
    (error: unknown) => error as { code: string; message: string; detail?: string },
  );
  return { code: failure.code, message: failure.message };
}

/** What a test can't go on without. */
export function required<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`there is no ${what}`);
  return value;
}
