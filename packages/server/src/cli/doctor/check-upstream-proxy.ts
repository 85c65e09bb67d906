import { PUBLIC_TARGETS_ONLY, type UpstreamProxy } from "@snap/engine";
import { connect } from "@snap/engine/internals";
import type { Config } from "../../config.ts";
import { resolverOf, upstreamProxyOf } from "../../wire.ts";
import { ok, problem, warning, type Finding } from "../../findings/finding.ts";

/** Reserved for documentation (RFC 2606, 3), but resolves. */
export const PUBLIC_NAME = "example.com";
const PORTS = [443, 80] as const;
const CONNECT_TIMEOUT_MS = 5_000;

/** Checks that the upstream proxy accepts this service, and opens tunnels for HTTPS and plain HTTP. */
export async function checkUpstreamProxy(config: Config): Promise<readonly Finding[]> {
  const proxy = upstreamProxyOf(config);
  if (proxy === null) return [];
  const attempts = await Promise.all(PORTS.map((port) => tryPort(config, proxy, port)));
  const failed = attempts.find(({ outcome }) => outcome === "proxy-failed");
  if (failed !== undefined)
    return [
      problem(
        "upstream_proxy_fails",
        failed.detail,
        "correct SNAP_UPSTREAM_PROXY; the password must be percent-encoded, and an https proxy needs a certificate for its name that Node trusts (NODE_EXTRA_CA_CERTS)",
      ),
    ];
  return [...attempts.flatMap((attempt) => describeAttempt(proxy, attempt)), describeContainment(proxy)];
}

interface Attempt {
  readonly port: number;
  /** `connected`, or the reason for the failure. */
  readonly outcome: string;
  readonly detail: string;
}

async function tryPort(config: Config, upstreamProxy: UpstreamProxy, port: number): Promise<Attempt> {
  let detail = "";
  const outcome = await connect({
    hostname: PUBLIC_NAME,
    port,
    policy: PUBLIC_TARGETS_ONLY,
    resolver: resolverOf(config),
    upstreamProxy: { ...upstreamProxy, bypass: [] },
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    onUnreachable: (reason) => (detail = reason),
  });
  if (typeof outcome === "string") return { port, outcome, detail };
  outcome.destroy();
  return { port, outcome: "connected", detail };
}

function describeAttempt({ origin }: UpstreamProxy, { port, outcome, detail }: Attempt): readonly Finding[] {
  if (outcome === "connected") return [ok("upstream proxy", `${origin} connects to ${PUBLIC_NAME}:${port}`)];
  // the name-resolution check reports this
  if (outcome !== "unreachable") return [];
  return [
    warning(
      "upstream_proxy_refuses",
      `${detail}: ${PUBLIC_NAME}:${port}`,
      port === 80
        ? "permit CONNECT to port 80, which plain HTTP pages need"
        : "permit CONNECT to port 443; a proxy that permits only listed names needs SNAP_UPSTREAM_PROXY_DNS=proxy",
    ),
  ];
}

function describeContainment({ origin, resolvesNames }: UpstreamProxy): Finding {
  if (!resolvesNames)
    return ok(
      "containment",
      "this service resolves names and blocks private addresses; the proxy receives only the address",
    );
  return warning(
    "containment_weak",
    `${origin} resolves names: only it can block names with private addresses`,
    "make the proxy block private and loopback addresses after it has resolved a name, or set SNAP_UPSTREAM_PROXY_DNS=local if this machine resolves public names",
  );
}
