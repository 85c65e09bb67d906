import { globSync } from "node:fs";
import { mkdtemp, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBrowser } from "./find-browser.ts";
import { run } from "./run.ts";
import { hasRuntimes, INSTALL_RUNTIMES } from "./runtimes.ts";

export type SetupTask = "start" | "test";

/** A program in a Debian package. */
export interface AptProgram {
  readonly package: string;
  readonly path: string;
}

export interface SystemPart {
  /** Also the tag of the tests that need it: `describe("…", { tags: ["browser"] }, …)`. */
  readonly name: string;
  /** Completes "needed …". */
  readonly purpose: string;
  readonly aptPackages: readonly string[];
  /** A program to extract into `PROGRAMS`, from a package that would otherwise install a service. */
  readonly aptProgram?: AptProgram;
  /** Arguments of npm that install the part: only in CI, because it is large. */
  readonly npmArgs?: readonly string[];
  /** A task stops if a required part is missing; a missing optional part is only reported. */
  readonly requiredFor: readonly SetupTask[];
  readonly optionalFor: readonly SetupTask[];
  readonly probe: () => Promise<boolean>;
}

/** Imports the modules of Debian's packages; another Python on the PATH does not. */
export const DEBIAN_PYTHON = "/usr/bin/python3";

/** The parts that a fresh machine may lack, the most important first. */
export const SYSTEM_PARTS: readonly SystemPart[] = [
  {
    name: "browser",
    purpose: "to render pages",
    // Starts three times as fast as full Chromium, and sends no telemetry.
    aptPackages: ["chromium-headless-shell"],
    requiredFor: ["start", "test"],
    optionalFor: [],
    probe: async () => (await findBrowser()) !== null,
  },
  {
    name: "fonts",
    purpose: "to draw Latin, Chinese, Japanese and Korean text and emoji",
    // The smallest set with glyphs for all of them: 18 MB, while fonts-noto-cjk alone is 57 MB.
    aptPackages: ["fontconfig", "fonts-liberation", "fonts-wqy-zenhei", "fonts-noto-color-emoji"],
    requiredFor: ["test"],
    optionalFor: ["start"],
    probe: hasFonts,
  },
  {
    name: "openssl",
    purpose: "to check signatures with a second implementation",
    aptPackages: ["openssl"],
    requiredFor: ["test"],
    optionalFor: [],
    probe: async () => (await run("openssl", ["version"])).ok,
  },
  {
    name: "postgres",
    purpose: "to test the storage that several machines share",
    aptPackages: ["postgresql"],
    requiredFor: ["test"],
    optionalFor: [],
    probe: () => Promise.resolve(globSync("/usr/lib/postgresql/*/bin/postgres").length > 0),
  },
  {
    name: "pgbouncer",
    purpose: "to test that storage through a connection pooler",
    aptPackages: ["pgbouncer"],
    requiredFor: ["test"],
    optionalFor: [],
    probe: async () => (await run("pgbouncer", ["--version"])).ok,
  },
  {
    name: "redis",
    purpose: "to test the cache that several processes share",
    aptPackages: ["redis-server"],
    requiredFor: ["test"],
    optionalFor: [],
    probe: async () => (await run("redis-server", ["--version"])).ok,
  },
  {
    name: "promtool",
    purpose: "to check the alert rules",
    aptPackages: [],
    // The package installs a whole server and starts it.
    aptProgram: { package: "prometheus", path: "usr/bin/promtool" },
    requiredFor: ["test"],
    optionalFor: [],
    probe: async () => (await run("promtool", ["--version"])).ok,
  },
  {
    name: "nginx",
    purpose: "to test the configuration that the guide shows for it",
    aptPackages: [],
    // The package starts a server on port 80.
    aptProgram: { package: "nginx", path: "usr/sbin/nginx" },
    requiredFor: [],
    optionalFor: ["test"],
    probe: async () => (await run("nginx", ["-v"])).ok,
  },
  {
    name: "caddy",
    purpose: "to test the configurations of the deployments that have it in front",
    aptPackages: [],
    // The package starts a server on port 80.
    aptProgram: { package: "caddy", path: "usr/bin/caddy" },
    requiredFor: [],
    optionalFor: ["test"],
    probe: async () => (await run("caddy", ["version"])).ok,
  },
  {
    name: "systemd",
    purpose: "to check the service's systemd unit",
    aptPackages: ["systemd"],
    requiredFor: ["test"],
    optionalFor: [],
    probe: async () => (await run("systemd-analyze", ["--version"])).ok,
  },
  {
    name: "shells",
    purpose: "to complete commands in each of them",
    aptPackages: ["zsh", "fish"],
    requiredFor: ["test"],
    optionalFor: [],
    probe: async () => (await run("zsh", ["--version"])).ok && (await run("fish", ["--version"])).ok,
  },
  {
    name: "python",
    purpose: "to run the Python program that the console copies",
    aptPackages: ["python3-requests"],
    requiredFor: ["test"],
    optionalFor: [],
    probe: async () => (await run("python3", ["-c", "import requests"])).ok,
  },
  {
    name: "seccomp",
    purpose: "to run the browser under the containers' system call filter",
    aptPackages: ["bubblewrap", "python3-seccomp"],
    requiredFor: ["test"],
    optionalFor: [],
    probe: async () =>
      (await run(DEBIAN_PYTHON, ["-c", "import seccomp"])).ok && (await run("bwrap", ["--version"])).ok,
  },
  {
    name: "runtimes",
    purpose: "to run the client in Node 20, Node 22, Bun and Deno",
    aptPackages: [],
    npmArgs: INSTALL_RUNTIMES,
    requiredFor: ["test"],
    optionalFor: [],
    probe: () => Promise.resolve(hasRuntimes()),
  },
  {
    name: "network",
    purpose: "to give a test a network namespace with its own addresses",
    aptPackages: ["iproute2"],
    requiredFor: ["test"],
    optionalFor: [],
    probe: async () =>
      (await run("unshare", ["--user", "--map-root-user", "--net", "ip", "link", "set", "lo", "up"])).ok,
  },
  {
    name: "mount",
    purpose: "to mount a small disk and fill it, as root",
    aptPackages: [],
    requiredFor: [],
    optionalFor: ["test"],
    probe: canMount,
  },
  {
    name: "helm",
    purpose: "to lint the chart and fill in its templates",
    // Debian has no package.
    aptPackages: [],
    requiredFor: [],
    optionalFor: ["test"],
    probe: async () => (await run("helm", ["version"])).ok,
  },
  {
    name: "docker",
    purpose: "to build and start the image",
    // Not installed automatically: setting up the daemon is up to the owner of the machine.
    aptPackages: [],
    requiredFor: [],
    optionalFor: ["test"],
    probe: async () => (await run("docker", ["info"])).ok && (await run("docker", ["compose", "version"])).ok,
  },
];

async function canMount(): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), "snap-mount-"));
  const { ok } = await run("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", directory]);
  if (ok) await run("umount", [directory]);
  await rmdir(directory);
  return ok;
}

async function hasFonts(): Promise<boolean> {
  if (process.platform !== "linux") return true;
  const lists = await Promise.all(
    [":lang=en", ":lang=zh-cn", ":lang=ja", ":lang=ko", ":lang=und-zsye"].map((pattern) =>
      run("fc-list", [pattern, "family"]),
    ),
  );
  return lists.every(({ ok, output }) => ok && output !== "");
}
