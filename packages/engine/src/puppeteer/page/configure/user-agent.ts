import type { Protocol } from "puppeteer";
import { deviceOf } from "./device.ts";
import type { Setting, SettingsFactory } from "./setting.ts";

/** `userAgent`, the user agent of `device`, and the language of `locale`. */
export const userAgentSettings: SettingsFactory = (parameters) => {
  const { locale } = parameters;
  const userAgent = parameters.userAgent ?? deviceOf(parameters)?.userAgent;
  if (userAgent === undefined && locale === undefined) return [];
  const languages = locale === undefined ? {} : { acceptLanguage: languagesOf(locale) };
  if (userAgent !== undefined) return [overrideUserAgent({ ...identityOf(userAgent), ...languages })];
  return [
    {
      targets: "workers",
      apply: (target) => {
        // an empty string leaves the browser's own
        const identity = target.userAgent === null ? { userAgent: "" } : identityOf(target.userAgent);
        return overrideUserAgent({ ...identity, ...languages }).apply(target);
      },
    },
  ];
};

/** Makes a page, its frames and its workers send a user agent. */
export function overrideUserAgent(override: Protocol.Emulation.SetUserAgentOverrideRequest): Setting {
  return {
    targets: "workers",
    apply: ({ session }) => session.send("Emulation.setUserAgentOverride", override),
  };
}

/** `de-CH` is sent as `de-CH,de;q=0.9`; Chromium adds the weight. `und-CH` has no language, and is sent as is. */
function languagesOf(locale: string): string {
  const language = /^und\b/i.test(locale) ? locale : new Intl.Locale(locale).language;
  return language === locale ? locale : `${locale},${language}`;
}

/** `navigator.platform` and the platform in client hints, by the name in the user agent. */
const PLATFORMS: readonly (readonly [RegExp, { readonly navigator: string; readonly hint: string }])[] = [
  [/iPhone/, { navigator: "iPhone", hint: "iOS" }],
  [/iPad/, { navigator: "iPad", hint: "iOS" }],
  [/Android/, { navigator: "Linux armv8l", hint: "Android" }],
  [/Windows/, { navigator: "Win32", hint: "Windows" }],
  [/CrOS/, { navigator: "Linux x86_64", hint: "Chrome OS" }],
  [/Mac OS X|Macintosh/, { navigator: "MacIntel", hint: "macOS" }],
  [/Linux|X11/, { navigator: "Linux x86_64", hint: "Linux" }],
];

/**
 * Returns a user agent with the properties that must match it. Only browsers based on Chromium send client hints;
 * without metadata, this one sends none either.
 */
export function identityOf(userAgent: string): Protocol.Emulation.SetUserAgentOverrideRequest {
  const [, platform] = PLATFORMS.find(([pattern]) => pattern.test(userAgent)) ?? [];
  const identity = { userAgent, ...(platform && { platform: platform.navigator }) };
  const [, fullVersion, majorVersion] = /\bChrome\/((\d+)[\d.]*)/.exec(userAgent) ?? [];
  if (fullVersion === undefined || majorVersion === undefined) return identity;
  const isEdge = /\bEdg\//.test(userAgent);
  const names = ["Chromium", isEdge ? "Microsoft Edge" : "Google Chrome"];
  return {
    ...identity,
    userAgentMetadata: {
      brands: names.map((brand) => ({ brand, version: majorVersion })),
      fullVersionList: names.map((brand) => ({ brand, version: fullVersion })),
      platform: platform?.hint ?? "Unknown",
      platformVersion: "",
      architecture: "",
      model: /Android [\d.]+; ([^;)]+)/.exec(userAgent)?.[1] ?? "",
      mobile: /\bMobile\b/.test(userAgent),
    },
  };
}
