import { DEFAULT_VIEWPORT, type ScreenshotParameters, type SnapParameters } from "@snap/protocol";
import { isDeepStrictEqual } from "node:util";
import type { CDPSession } from "puppeteer";
import { abortable } from "../../timeouts.ts";

/** In CSS pixels, each `deviceScaleFactor` device pixels wide and high. */
export interface Viewport {
  readonly width: number;
  readonly height: number;
  readonly deviceScaleFactor: number;
}

/** The viewport of ready tabs. */
export const READY_VIEWPORT: Viewport = { ...DEFAULT_VIEWPORT, deviceScaleFactor: 1 };

const TRANSPARENT = { color: { r: 0, g: 0, b: 0, a: 0 } };

/** Only for screenshots: the paper size determines the layout of a PDF. */
export function viewportOf({ width, height, scale }: ScreenshotParameters): Viewport {
  return {
    width: width ?? DEFAULT_VIEWPORT.width,
    height: height ?? DEFAULT_VIEWPORT.height,
    deviceScaleFactor: scale,
  };
}

export async function applyViewport(session: CDPSession, viewport: Viewport): Promise<void> {
  await session.send("Emulation.setDeviceMetricsOverride", { ...viewport, mobile: false });
}

/** Applies the parameters to a tab; sends only settings that differ from those of a ready tab. */
export async function configurePage(
  { session }: { readonly session: CDPSession },
  parameters: SnapParameters,
  signal: AbortSignal,
): Promise<void> {
  if (parameters.pdf) return;
  const viewport = viewportOf(parameters);
  const settings: Promise<void>[] = [];
  if (!isDeepStrictEqual(viewport, READY_VIEWPORT)) settings.push(applyViewport(session, viewport));
  if (parameters.omitBackground)
    settings.push(session.send("Emulation.setDefaultBackgroundColorOverride", TRANSPARENT));
  await abortable(signal, Promise.all(settings));
}
