import type { SandboxMode } from "./launch-arguments.ts";
import { browserUser } from "./unprivileged-user.ts";

export interface StartFailure {
  readonly executablePath: string;
  readonly sandbox: SandboxMode;
  readonly cause: unknown;
  readonly stderr: string;
}

/** For the operator: what went wrong when the browser was started, and what to do about it. */
export function explainStartFailure({ executablePath, sandbox, cause, stderr }: StartFailure): string {
  const what = `${executablePath} did not start: ${describe(cause)}`;
  if (sandbox === "on" && /sandbox/i.test(fatalLines(stderr))) {
    return `${what}. Its sandbox can't work here: allow unprivileged user namespaces, or accept the risk and set the sandbox to "off". It wrote: ${fatalLines(stderr)}`;
  }
  const user = browserUser();
  if (user && /Permission denied/.test(stderr)) {
    return `${what}. As root we start it as user ${user.uid}, who may not execute it`;
  }
  if (user && hasCode(cause, "EPERM")) {
    return `${what}. As root we start it as user ${user.uid}, and this process may not change its user`;
  }
  const wrote = fatalLines(stderr) || stderr.trim().split("\n").at(-1) || "";
  return wrote === "" ? what : `${what}. It wrote: ${wrote}`;
}

function fatalLines(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => /FATAL|No usable sandbox|cannot open shared/.test(line));
  return lines.join(" ").trim();
}

function describe(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function hasCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && "code" in cause && cause.code === code;
}
