import { oneOf } from "../requests/fields.ts";
import { nameServers, noProxy, targetList, upstreamProxy } from "./fields.ts";
import { optional, type Setting } from "./setting.ts";

/** What pages and webhooks can reach, and how. */
export const EGRESS_SETTINGS = {
  allowTargets: {
    variable: "SNAP_ALLOW_TARGETS",
    schema: targetList().default([]),
    description: "private hosts or CIDR blocks to allow, each with an optional :port, comma-separated",
    unset: "none",
  },
  denyTargets: {
    variable: "SNAP_DENY_TARGETS",
    schema: targetList().default([]),
    description:
      "hosts with their subdomains, or CIDR blocks, to always block, each with an optional :port, comma-separated",
    unset: "none",
  },
  nameServers: {
    variable: "SNAP_DNS_SERVERS",
    schema: optional(nameServers()),
    description:
      "name servers for pages, webhooks and object stores, each with an optional :port, comma-separated; the hosts file still comes first",
    unset: "those of /etc/resolv.conf",
  },
  upstreamProxy: {
    variable: "SNAP_UPSTREAM_PROXY",
    secret: true,
    schema: optional(upstreamProxy()),
    description:
      "proxy for the connections of pages, and to webhook receivers and object stores, such as http://user:password@proxy.example:3128",
    unset: "connections are direct",
  },
  noProxy: {
    variable: "SNAP_NO_PROXY",
    schema: noProxy().default(""),
    description:
      "targets to reach without SNAP_UPSTREAM_PROXY: names with their subdomains, addresses or CIDR blocks, each with an optional :port, comma-separated",
    unset: "only the loopback addresses",
  },
  upstreamProxyDns: {
    variable: "SNAP_UPSTREAM_PROXY_DNS",
    schema: oneOf("local", "proxy"),
    description:
      "who resolves names if SNAP_UPSTREAM_PROXY is set: this machine, which blocks private addresses (local), or the proxy, which must then block them itself (proxy)",
    default: "local",
  },
} as const satisfies Record<string, Setting>;
