import type { PdfParameters, ScreenshotParameters } from "@snap/protocol";
import { expect } from "vitest";
import type * as z from "zod";
import { pdfParameters, screenshotParameters } from "../../src/parameters/schemas.ts";
import type { SnapError } from "../../src/errors.ts";
import { createPuppeteerRenderer, type PuppeteerRendererOptions } from "../../src/puppeteer/index.ts";
import { ProcessGroup, type GroupMember } from "../../src/puppeteer/browser/process-group.ts";
import type { Renderer } from "../../src/ports/renderer.ts";
import type { TargetPolicy } from "../../src/targets/policy.ts";

/** Allows only these loopback ports, where the test sites listen. */
export function allowPorts(...ports: number[]): TargetPolicy & Required<Pick<TargetPolicy, "allow">> {
  return {
    allow: ports.map((port) => ({ kind: "cidr", address: "127.0.0.1", prefixLength: 32, port })),
    ownHostnames: [],
  };
}

/** Also allows these ports under the name `localhost`, a different site from 127.0.0.1. */
export function allowBothSites(...ports: number[]): TargetPolicy {
  const { allow, ...policy } = allowPorts(...ports);
  const names = ports.map((port) => ({ kind: "name", hostname: "localhost", port }) as const);
  return { ...policy, allow: [...allow, ...names] };
}

export function openRenderer(ports: number[], options: PuppeteerRendererOptions = {}): Renderer {
  return createPuppeteerRenderer({ targets: allowPorts(...ports), ...options });
}

export type ScreenshotOptions = Partial<z.input<typeof screenshotParameters>>;

export function screenshot(url: string, options: ScreenshotOptions = {}): ScreenshotParameters {
  return screenshotParameters.parse({ url, waitUntil: "load", ...options });
}

/** Parameters without `waitUntil`, as in most requests. */
export function defaultScreenshot(url: string): ScreenshotParameters {
  return screenshotParameters.parse({ url });
}

export function pdf(url: string, options: object = {}): PdfParameters {
  return pdfParameters.parse({ url, pdf: true, ...options });
}

/** Returns the code and message of the error that `errorOf` returns. */
export async function failureOf(render: Promise<unknown>): Promise<{ code: string; message: string }> {
  const { code, message } = await errorOf(render);
  return { code, message };
}

/** Returns the error from a failed render; fails the test if the render succeeds. */
export async function errorOf(render: Promise<unknown>): Promise<SnapError> {
  return render.then(
    () => expect.fail("the render succeeded"),
    (error: unknown) => error as SnapError,
  );
}

/** Returns the running processes of a group, given the id of its first process. */
export function readProcessGroup(groupId: number): readonly GroupMember[] {
  return new ProcessGroup(groupId).read();
}

/** Returns `value`; throws if there is none. */
export function required<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`no ${what}`);
  return value;
}
