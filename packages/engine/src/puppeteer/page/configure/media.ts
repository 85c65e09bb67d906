import type { SnapParameters } from "@snap/protocol";
import type { CDPSession, Protocol } from "puppeteer";
import type { SettingsFactory } from "./setting.ts";

/** The parameters that decide which media queries match. */
type MediaParameters = Pick<SnapParameters, "colorScheme" | "reducedMotion" | "forcedColors" | "mediaType">;

/** `colorScheme`, `reducedMotion`, `forcedColors` and `mediaType`. */
export const mediaSettings: SettingsFactory = (parameters) => {
  if (featuresOf(parameters).length === 0 && parameters.mediaType === undefined) return [];
  return [{ targets: "frames", apply: ({ session }) => emulateMedia(session, parameters) }];
};

/** Replaces the media type and features that were emulated before. */
export async function emulateMedia(session: CDPSession, parameters: MediaParameters): Promise<void> {
  const { mediaType } = parameters;
  const media = mediaType === undefined ? {} : { media: mediaType };
  await session.send("Emulation.setEmulatedMedia", { ...media, features: featuresOf(parameters) });
}

function featuresOf({
  colorScheme,
  reducedMotion,
  forcedColors,
}: MediaParameters): Protocol.Emulation.MediaFeature[] {
  return [
    ...(colorScheme === undefined ? [] : [{ name: "prefers-color-scheme", value: colorScheme }]),
    ...(reducedMotion ? [{ name: "prefers-reduced-motion", value: "reduce" }] : []),
    ...(forcedColors ? [{ name: "forced-colors", value: "active" }] : []),
  ];
}
