import { DEFAULT_VIEWPORT, type SnapParameters } from "@snap/protocol";
import { isDeepStrictEqual } from "node:util";
import type { CDPSession, Device, Protocol } from "puppeteer";
import { printableArea } from "../pdf/print-layout.ts";
import { deviceOf } from "./device.ts";
import type { Setting, SettingsFactory } from "./setting.ts";

/** In CSS pixels, each `deviceScaleFactor` device pixels wide and high. */
export interface Viewport {
  readonly width: number;
  readonly height: number;
  readonly deviceScaleFactor: number;
  /** Whether to lay out the page as in a mobile browser. */
  readonly mobile: boolean;
  /**
   * The screen that the page sees. Chromium's default is so small that a page may choose its layout
   * for phones.
   */
  readonly screenWidth: number;
  readonly screenHeight: number;
  readonly screenOrientation?: Protocol.Emulation.ScreenOrientation;
}

const LANDSCAPE: Protocol.Emulation.ScreenOrientation = { type: "landscapePrimary", angle: 90 };
const PORTRAIT: Protocol.Emulation.ScreenOrientation = { type: "portraitPrimary", angle: 0 };

/** The viewport of ready tabs. */
export const READY_VIEWPORT: Viewport = {
  ...DEFAULT_VIEWPORT,
  ...screenOf(DEFAULT_VIEWPORT),
  deviceScaleFactor: 1,
  mobile: false,
};

const TRANSPARENT = { color: { r: 0, g: 0, b: 0, a: 0 } };

/** A PDF's layout follows the paper when it is printed; a single page is measured first. */
export function viewportOf(parameters: SnapParameters): Viewport {
  if (parameters.pdf)
    return parameters.singlePage ? { ...READY_VIEWPORT, ...printableArea(parameters) } : READY_VIEWPORT;
  const device = deviceOf(parameters);
  if (device !== undefined) return viewportOfDevice(device);
  const { scale, mobile } = parameters;
  const { width = DEFAULT_VIEWPORT.width, height = DEFAULT_VIEWPORT.height } = parameters;
  return {
    width,
    height,
    ...screenOf({ width, height }),
    deviceScaleFactor: scale,
    mobile,
    ...(mobile && { screenOrientation: width > height ? LANDSCAPE : PORTRAIT }),
  };
}

type Size = Pick<Viewport, "width" | "height">;

/** A screen that the viewport fills. */
function screenOf({ width, height }: Size): Pick<Viewport, "screenWidth" | "screenHeight"> {
  return { screenWidth: width, screenHeight: height };
}

function viewportOfDevice({ viewport }: Device): Viewport {
  const { width, height, deviceScaleFactor = 1, isMobile = false, isLandscape = false } = viewport;
  return {
    width,
    height,
    ...screenOf({ width, height }),
    deviceScaleFactor,
    mobile: isMobile,
    screenOrientation: isLandscape ? LANDSCAPE : PORTRAIT,
  };
}

export async function applyViewport(session: CDPSession, viewport: Viewport): Promise<void> {
  await session.send("Emulation.setDeviceMetricsOverride", viewport);
}

/** The viewport, touch screen and background, if they differ from a ready tab's. */
export const viewportSettings: SettingsFactory = (parameters) => {
  const viewport = viewportOf(parameters);
  const settings: Setting[] = [];
  if (!isDeepStrictEqual(viewport, READY_VIEWPORT))
    settings.push({ targets: "page", apply: ({ session }) => applyViewport(session, viewport) });
  if (parameters.pdf) return settings;
  if (parameters.touch || deviceOf(parameters)?.viewport.hasTouch === true)
    settings.push({
      targets: "frames",
      apply: ({ session }) =>
        session.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 5 }),
    });
  if (parameters.omitBackground)
    settings.push({
      targets: "page",
      apply: ({ session }) => session.send("Emulation.setDefaultBackgroundColorOverride", TRANSPARENT),
    });
  return settings;
};
