import type { SettingsFactory } from "./setting.ts";

/** `colorScheme`, `reducedMotion`, `forcedColors` and `mediaType`. */
export const mediaSettings: SettingsFactory = (parameters) => {
  const { colorScheme, reducedMotion, forcedColors, mediaType } = parameters;
  const features = [
    ...(colorScheme === undefined ? [] : [{ name: "prefers-color-scheme", value: colorScheme }]),
    ...(reducedMotion ? [{ name: "prefers-reduced-motion", value: "reduce" }] : []),
    ...(forcedColors ? [{ name: "forced-colors", value: "active" }] : []),
  ];
  if (features.length === 0 && mediaType === undefined) return [];
  const media = mediaType === undefined ? {} : { media: mediaType };
  return [
    {
      targets: "frames",
      apply: ({ session }) => session.send("Emulation.setEmulatedMedia", { ...media, features }),
    },
  ];
};
