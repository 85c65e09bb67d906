import { DEFAULT_ACCURACY_METERS, type SnapParameters } from "@snap/protocol";
import type { Setting, SettingsFactory } from "./setting.ts";

/** `locale` and `timeZone`; the language of requests is set with the user agent. */
export const regionSettings: SettingsFactory = ({ locale, timeZone }) => {
  const settings: Setting[] = [];
  if (locale !== undefined)
    settings.push({
      targets: "frames",
      apply: ({ session }) => ignoreAlreadySet(session.send("Emulation.setLocaleOverride", { locale })),
    });
  if (timeZone !== undefined)
    settings.push({
      targets: "frames",
      apply: ({ session }) =>
        ignoreAlreadySet(session.send("Emulation.setTimezoneOverride", { timezoneId: timeZone })),
    });
  return settings;
};

/** Frames in one process share these settings; Chromium rejects the second command. */
async function ignoreAlreadySet(sent: Promise<void>): Promise<void> {
  try {
    await sent;
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes("already in effect")) throw error;
  }
}

/** `latitude`, `longitude` and `accuracy`: only the origin of `url` may read the position. */
export const positionSettings: SettingsFactory = (parameters: SnapParameters) => {
  const { latitude, longitude, accuracy = DEFAULT_ACCURACY_METERS, url } = parameters;
  if (latitude === undefined || longitude === undefined) return [];
  const { origin } = new URL(url);
  return [
    {
      targets: "page",
      async apply({ session, browserContextId }) {
        const grant = { origin, browserContextId, permissions: ["geolocation" as const] };
        await Promise.all([
          session.connection()?.send("Browser.grantPermissions", grant),
          session.send("Emulation.setGeolocationOverride", { latitude, longitude, accuracy }),
        ]);
      },
    },
  ];
};
