import { globSync } from "node:fs";
import { findBrowser } from "./find-browser.ts";
import { run } from "./run.ts";

/** What the parts are set up for. */
export type Errand = "start" | "test";

export interface SystemPart {
  /** Also the tag of the tests that need it: `describe("…", { tags: ["browser"] }, …)`. */
  readonly name: string;
  /** Completes "… is needed". */
  readonly purpose: string;
  readonly aptPackages: readonly string[];
  /** An errand stops without a part that it needs, and only says so about one that it would like. */
  readonly neededBy: readonly Errand[];
  readonly likedBy: readonly Errand[];
  readonly probe: () => Promise<boolean>;
}

/** What a fresh machine lacks, in the order of importance. A new part is a new row. */
export const SYSTEM_PARTS: readonly SystemPart[] = [
  {
    name: "browser",
    purpose: "to render pages",
    // Starts in a third of the time of full Chromium, and never calls home.
    aptPackages: ["chromium-headless-shell"],
    neededBy: ["start", "test"],
    likedBy: [],
    probe: async () => (await findBrowser()) !== null,
  },
  {
    name: "fonts",
    purpose: "to draw Latin, Chinese, Japanese and Korean text and emoji",
    // The leanest set that has a glyph for each: 18 MB, where fonts-noto-cjk alone is 57 MB.
    aptPackages: ["fontconfig", "fonts-liberation", "fonts-wqy-zenhei", "fonts-noto-color-emoji"],
    neededBy: ["test"],
    likedBy: ["start"],
    probe: hasFonts,
  },
  {
    name: "openssl",
    purpose: "to check signatures by a second implementation",
    aptPackages: ["openssl"],
    neededBy: ["test"],
    likedBy: [],
    probe: async () => (await run("openssl", ["version"])).ok,
  },
  {
    name: "postgres",
    purpose: "to store what several machines share",
    aptPackages: ["postgresql"],
    neededBy: ["test"],
    likedBy: [],
    probe: () => Promise.resolve(globSync("/usr/lib/postgresql/*/bin/postgres").length > 0),
  },
  {
    name: "redis",
    purpose: "to share a cache between processes",
    aptPackages: ["redis-server"],
    neededBy: ["test"],
    likedBy: [],
    probe: async () => (await run("redis-server", ["--version"])).ok,
  },
  {
    name: "systemd",
    purpose: "to check the unit of the service",
    aptPackages: ["systemd"],
    neededBy: ["test"],
    likedBy: [],
    probe: async () => (await run("systemd-analyze", ["--version"])).ok,
  },
  {
    name: "seccomp",
    purpose: "to run the browser under the containers' system call filter",
    aptPackages: ["bubblewrap", "seccomp"],
    neededBy: ["test"],
    likedBy: [],
    probe: async () =>
      (await run("scmp_sys_resolver", ["read"])).ok && (await run("bwrap", ["--version"])).ok,
  },
  {
    name: "network",
    purpose: "to give a test a network with addresses of its own",
    aptPackages: ["iproute2"],
    neededBy: ["test"],
    likedBy: [],
    probe: async () =>
      (await run("unshare", ["--user", "--map-root-user", "--net", "ip", "link", "set", "lo", "up"])).ok,
  },
  {
    name: "docker",
    purpose: "to build and start the image",
    // A daemon that runs is for the machine's owner to set up.
    aptPackages: [],
    neededBy: [],
    likedBy: ["test"],
    probe: async () => (await run("docker", ["info"])).ok && (await run("docker", ["compose", "version"])).ok,
  },
];

async function hasFonts(): Promise<boolean> {
  if (process.platform !== "linux") return true;
  const lists = await Promise.all(
    [":lang=en", ":lang=zh-cn", ":lang=ja", ":lang=ko", ":lang=und-zsye"].map((pattern) =>
      run("fc-list", [pattern, "family"]),
    ),
  );
  return lists.every(({ ok, output }) => ok && output !== "");
}
