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
  readonly aptPackages?: readonly string[];
  /** A program to extract into `PROGRAMS`, from a package that would otherwise install a service. */
  readonly aptProgram?: AptProgram;
  /** Arguments of npm that install the part: only in CI, because it is large. */
  readonly npmArgs?: readonly string[];
  /** `start` and, in CI, `test` stop without a required part. Otherwise, it is only reported. */
  readonly need: Readonly<Partial<Record<SetupTask, "required" | "optional">>>;
  readonly probe: () => boolean | Promise<boolean>;
}

/** Can import the modules of Debian's packages; another Python on the PATH cannot. */
export const DEBIAN_PYTHON = "/usr/bin/python3";

const REQUIRED = { test: "required" } as const;
const OPTIONAL = { test: "optional" } as const;

/** The parts that a fresh machine may lack, the most important first. */
export const SYSTEM_PARTS: readonly SystemPart[] = [
  {
    name: "browser",
    purpose: "to render pages",
    // Starts three times as fast as full Chromium, and sends no telemetry.
    aptPackages: ["chromium-headless-shell"],
    need: { start: "required", test: "required" },
    probe: async () => (await findBrowser()) !== null,
  },
  {
    name: "fonts",
    purpose: "to draw Latin, Chinese, Japanese and Korean text and emoji",
    // The smallest set with glyphs for all of them: 18 MB, while fonts-noto-cjk alone is 57 MB.
    aptPackages: ["fontconfig", "fonts-liberation", "fonts-wqy-zenhei", "fonts-noto-color-emoji"],
    need: { start: "optional", test: "required" },
    probe: hasFonts,
  },
  {
    name: "openssl",
    purpose: "to check signatures with a second implementation",
    aptPackages: ["openssl"],
    need: REQUIRED,
    probe: works("openssl version"),
  },
  {
    name: "postgres",
    purpose: "to test the storage that several machines share",
    aptPackages: ["postgresql"],
    need: REQUIRED,
    probe: works("ls /usr/lib/postgresql/*/bin/postgres"),
  },
  {
    name: "pgbouncer",
    purpose: "to test the PostgreSQL storage through a connection pooler",
    aptPackages: ["pgbouncer"],
    need: REQUIRED,
    probe: works("pgbouncer --version"),
  },
  {
    name: "redis",
    purpose: "to test the cache that several processes share",
    aptPackages: ["redis-server"],
    need: REQUIRED,
    probe: works("redis-server --version"),
  },
  {
    name: "promtool",
    purpose: "to check the alert rules",
    // The package installs a whole server and starts it.
    aptProgram: { package: "prometheus", path: "usr/bin/promtool" },
    need: REQUIRED,
    probe: works("promtool --version"),
  },
  {
    name: "nginx",
    purpose: "to test the configuration that the guide shows for it",
    // The package starts a server on port 80.
    aptProgram: { package: "nginx", path: "usr/sbin/nginx" },
    need: OPTIONAL,
    probe: works("nginx -v"),
  },
  {
    name: "caddy",
    purpose: "to test the configurations of the deployments that have it in front",
    // The package starts a server on port 80.
    aptProgram: { package: "caddy", path: "usr/bin/caddy" },
    need: OPTIONAL,
    probe: works("caddy version"),
  },
  {
    name: "systemd",
    purpose: "to check the service's systemd unit",
    aptPackages: ["systemd"],
    need: REQUIRED,
    probe: works("systemd-analyze --version"),
  },
  {
    name: "shells",
    purpose: "to test the completion of commands in zsh and fish",
    aptPackages: ["zsh", "fish"],
    need: REQUIRED,
    probe: works("zsh --version && fish --version"),
  },
  {
    name: "python",
    purpose: "to run the Python program that the console copies",
    aptPackages: ["python3-requests"],
    need: REQUIRED,
    probe: works("python3 -c 'import requests'"),
  },
  {
    name: "seccomp",
    purpose: "to run the browser under the containers' system call filter",
    aptPackages: ["bubblewrap", "python3-seccomp"],
    need: REQUIRED,
    probe: works(`${DEBIAN_PYTHON} -c 'import seccomp' && bwrap --version`),
  },
  {
    name: "runtimes",
    purpose: "to run the client in Node 20, Node 22, Bun and Deno",
    npmArgs: INSTALL_RUNTIMES,
    need: REQUIRED,
    probe: hasRuntimes,
  },
  {
    name: "network",
    purpose: "to give a test a network namespace with its own addresses",
    aptPackages: ["iproute2"],
    need: REQUIRED,
    probe: works("unshare --user --map-root-user --net ip link set lo up"),
  },
  {
    name: "mount",
    purpose: "to mount a small disk and fill it, as root",
    need: OPTIONAL,
    probe: works("unshare --mount mount -t tmpfs -o size=1m tmpfs /mnt"),
  },
  {
    name: "helm",
    purpose: "to lint the chart and fill in its templates",
    // Debian has no package.
    need: OPTIONAL,
    probe: works("helm version"),
  },
  {
    name: "docker",
    purpose: "to build and start the image",
    // Not installed automatically: setting up the daemon is up to the owner of the machine.
    need: OPTIONAL,
    probe: works("docker info && docker compose version"),
  },
];

/** A probe that runs a shell command. */
function works(command: string): () => Promise<boolean> {
  return async () => (await run("sh", ["-c", command])).ok;
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
