/** `nobody` on Linux: owns nothing. The sandbox needs a user who isn't root (egress.md). */
const NOBODY_ID = 65_534;

export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Whom the browser runs as: `null` means as ourselves. */
export function browserUser(): { readonly uid: number; readonly gid: number } | null {
  return runsAsRoot() ? { uid: NOBODY_ID, gid: NOBODY_ID } : null;
}
