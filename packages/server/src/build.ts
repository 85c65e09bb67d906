import packageJson from "../package.json" with { type: "json" };

/** Set by the build (tsup.config.ts); not defined when the sources run directly. */
declare const SNAP_COMMIT: string | undefined;

/** What this release was built from. `commit` is `null` if the build did not know it. */
export const BUILD: { readonly version: string; readonly commit: string | null } = {
  version: packageJson.version,
  commit: (typeof SNAP_COMMIT === "undefined" ? "" : SNAP_COMMIT) || null,
};
