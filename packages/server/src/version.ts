import packageJson from "../package.json" with { type: "json" };

/** Replaced by the build (tsup.config.ts); undefined in the sources. */
declare const BUILD_COMMIT: string | null;

/** The commit that this package was built from, abbreviated; `null` if the build did not know it. */
const commit: string | null = typeof BUILD_COMMIT === "undefined" ? null : BUILD_COMMIT;

/** `0.1.0 (0123456789ab)`, or without the commit. */
export function describeVersion(): string {
  return commit === null ? packageJson.version : `${packageJson.version} (${commit})`;
}
