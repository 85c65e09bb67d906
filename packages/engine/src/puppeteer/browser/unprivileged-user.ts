/** `nobody` on Linux. Chromium's sandbox does not work for root. */
const NOBODY_ID = 65_534;

export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Returns the user to run the browser as; `null` means this process's user. */
export function browserUser(): { readonly uid: number; readonly gid: number } | null {
  return runsAsRoot() ? { uid: NOBODY_ID, gid: NOBODY_ID } : null;
}
