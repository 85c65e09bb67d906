import { DEFAULT_VIEWPORT, type ScreenshotParameters, type SnapParameters } from "@snap/protocol";
import { isDeepStrictEqual } from "node:util";
import type { CDPSession } from "puppeteer";
import { unless } from "../../timeouts.ts";

/** In CSS pixels, each of them `deviceScaleFactor` device pixels wide and high. */
export interface Viewport {
  readonly width: number;
  readonly height: number;
  readonly deviceScaleFactor: number;
}

/** Tabs are kept ready with it. */
export const READY_VIEWPORT: Viewport = { ...DEFAULT_VIEWPORT, deviceScaleFactor: 1 };

const TRANSPARENT = { color: { r: 0, g: 0, b: 0, a: 0 } };

/** Only a screenshot has a viewport of its own; paper decides the layout of a PDF. */
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

/** Brings a tab, as it was kept ready, to what the parameters ask for; sends nothing where that is the same. */
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
  await unless(signal, Promise.all(settings));
}
