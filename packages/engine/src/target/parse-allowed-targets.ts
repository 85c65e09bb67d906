import { domainToASCII } from "node:url";
import { parseBlock } from "./address.ts";
import { normalizeHostname } from "./hostname.ts";
import type { AllowedTarget } from "./policy.ts";

/**
 * Reads a list of private targets to allow all the same (architecture.md, `SNAP_ALLOW_TARGETS`):
 * host names, addresses and CIDR blocks, separated by commas, each with an optional `:port`. An entry
 * without a port opens 80, 443 and 1024 to 65535. IPv6 is written in brackets when a port follows.
 *
 * @throws Error that names the entry at fault and what would do.
 *
 * @example
 * parseAllowedTargets("wiki.example.com, 10.0.0.0/8, [fd00::/8]:3000");
 */
export function parseAllowedTargets(text: string): AllowedTarget[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map(parseEntry);
}

function parseEntry(entry: string): AllowedTarget {
  const { subject, portDigits } = splitPort(entry);
  const port = portDigits === null ? null : Number(portDigits);
  const block = parseBlock(subject);
  if (port !== null && (port < 1 || port > 65_535)) {
    throw new Error(`"${entry}": the port must be from 1 to 65535`);
  }
  if (block !== null) {
    const [address = ""] = subject.split("/");
    const prefixLength = Number(subject.split("/")[1] ?? (address.includes(":") ? 128 : 32));
    return { kind: "block", address, prefixLength, port };
  }
  const hostname = parseName(subject);
  if (hostname === null) {
    throw new Error(
      `"${entry}" is no host name, address or CIDR block with an optional port; ` +
        "write it like intranet.example, intranet.example:8080, 10.0.0.0/8, 127.0.0.1:3000, fd00::/8 or [::1]:3000",
    );
  }
  return { kind: "name", hostname, port };
}

/** More than one colon and no brackets is IPv6 without a port. */
function splitPort(entry: string): { subject: string; portDigits: string | null } {
  const bracketed = /^\[([^\]]*:[^\]]*)\](?::(\d{1,5}))?$/.exec(entry);
  const plain = /^([^:[\]]*):(\d{1,5})$/.exec(entry);
  const [, subject = entry, portDigits = null] = bracketed ?? plain ?? [];
  return { subject, portDigits };
}

/** Letters, digits and hyphens of any script, and the underscore that some private names have. */
function parseName(text: string): string | null {
  if (!/^[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*\.?$/u.test(text)) return null;
  const hostname = normalizeHostname(domainToASCII(text));
  return hostname === "" || parseBlock(hostname) !== null ? null : hostname;
}
