import { isIP } from "node:net";
import { isClosed } from "./closed-sockets.ts";
import { allowsName, allowsSomeAddress } from "./exceptions.ts";
import { normalizeHostname } from "./hostname.ts";
import { judgeAddress } from "./judge-address.ts";
import { isPublicName } from "./judge-name.ts";
import type { TargetPolicy } from "./policy.ts";
import { isWebPort } from "./port.ts";

interface HostQuestion {
  /** A normalized host name, or a textual address. */
  readonly hostname: string;
  readonly port: number;
  readonly policy: TargetPolicy;
}

/** Judges a host and a port before any look-up; what a name resolves to is judged by `judgeAddress`. */
export function judgeHost(question: HostQuestion): "ok" | "blocked" {
  const { hostname, port, policy } = question;
  if (isIP(hostname) !== 0) return judgeAddress({ ...question, address: hostname });
  if (isClosed({ host: hostname, port, policy })) return "blocked";
  if (allowsName(question)) return "ok";
  const isOwn = policy.ownHostnames.some((own) => normalizeHostname(own) === hostname);
  if (isOwn || !isPublicName(hostname)) return "blocked";
  return isWebPort(port) || allowsSomeAddress(policy, port) ? "ok" : "blocked";
}
