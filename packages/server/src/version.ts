import packageJson from "../package.json" with { type: "json" };

/** Replaced by the build (tsup.config.ts); undefined when the sources run without a build. */
declare const BUILD_COMMIT: string | null;

/** The package's version, and the abbreviated commit that it was built from; `null` if unknown, or without a build. */
export const BUILD: { readonly version: string; readonly commit: string | null } = {
  version: packageJson.version,
  commit: typeof BUILD_COMMIT === "undefined" ? null : BUILD_COMMIT,
};

/** `0.1.0 (0123456789ab)`, or without the commit. */
export function describeVersion(): string {
  return BUILD.commit === null ? BUILD.version : `${BUILD.version} (${BUILD.commit})`;
}
