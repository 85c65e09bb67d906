import { messageOf } from "../../errors.ts";
import type { SandboxMode } from "./launch-arguments.ts";
import { browserUser } from "./unprivileged-user.ts";

export interface StartFailure {
  readonly executablePath: string;
  readonly sandbox: SandboxMode;
  readonly cause: unknown;
  readonly stderr: string;
}

/** What root needs to start a browser as another user, kill it, and remove its profile. */
const CAPABILITIES = "CAP_SETUID, CAP_SETGID, CAP_CHOWN, CAP_DAC_OVERRIDE and CAP_KILL";

/** Explains to the operator why the browser did not start, and what to do. */
export function explainStartFailure({ executablePath, sandbox, cause, stderr }: StartFailure): string {
  const message = `${executablePath} did not start: ${messageOf(cause)}`;
  if (sandbox === "on" && /sandbox/i.test(fatalLines(stderr))) {
    return `${message}. The sandbox is not available; allow unprivileged user namespaces, or accept the risk and set the sandbox to "off". Browser output: ${fatalLines(stderr)}`;
  }
  const user = browserUser();
  if (user && /Permission denied/.test(stderr)) {
    return `${message}. This process is running as root and starts the browser as user ${user.uid}; make the browser executable for that user`;
  }
  if (user && (hasCode(cause, "EPERM") || hasCode(cause, "EACCES"))) {
    return `${message}. This process is running as root and starts the browser as user ${user.uid}; grant it ${CAPABILITIES}, or run it as another user`;
  }
  const output = fatalLines(stderr) || stderr.trim().split("\n").at(-1) || "";
  return output === "" ? message : `${message}. Browser output: ${output}`;
}

function fatalLines(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => /FATAL|No usable sandbox|cannot open shared/.test(line));
  return lines.join(" ").trim();
}

function hasCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && "code" in cause && cause.code === code;
}
