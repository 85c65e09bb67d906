import packageJson from "../package.json" with { type: "json" };

/** Replaced by the build (tsup.config.ts); undefined in the sources. */
declare const BUILD_COMMIT: string | null;

/** What this package was built from. The commit is abbreviated; `null` if the build could not determine it. */
export const BUILD: { readonly version: string; readonly commit: string | null } = {
  version: packageJson.version,
  commit: typeof BUILD_COMMIT === "undefined" ? null : BUILD_COMMIT,
};

/** `0.1.0 (0123456789ab)`, or without the commit. */
export function describeVersion(): string {
  return BUILD.commit === null ? BUILD.version : `${BUILD.version} (${BUILD.commit})`;
}
