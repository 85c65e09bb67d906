import { execFileSync } from "node:child_process";

const ABBREVIATED_LENGTH = 12;

/**
 * Returns the abbreviated commit of a checkout: `SOURCE_COMMIT`, for builds without the repository such as an image's,
 * or the commit that git reports; `null` if there is neither, or if `SOURCE_COMMIT` is not a hash, such as an empty
 * string.
 */
export function readCommit(directory: string, environment: NodeJS.ProcessEnv = process.env): string | null {
  const commit = environment["SOURCE_COMMIT"] ?? askGit(directory);
  return commit !== null && /^[0-9a-f]{7,64}$/.test(commit) ? commit.slice(0, ABBREVIATED_LENGTH) : null;
}

function askGit(directory: string): string | null {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], {
      cwd: directory,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return null;
  }
}
