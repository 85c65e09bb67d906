import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readManifest, ROOT } from "../../workspace.ts";
import { code, table, type ReferencePage } from "./page.ts";

/** The version of a package that another package's tests use. */
function installed(part: string, name: string): string {
  return readManifest(join(ROOT, "packages", part, "node_modules", name)).version;
}

/** The Node that runs all tests and commands of the repository. */
function testedNode(): string {
  const [, version] =
    /^nodeVersion: (\S+)$/m.exec(readFileSync(join(ROOT, "pnpm-workspace.yaml"), "utf8")) ?? [];
  if (version === undefined) throw new Error("pnpm-workspace.yaml has no nodeVersion");
  return version;
}

const SERVICE = (): string[][] => [
  ["Node", "22.19 or newer", testedNode(), "22 and 26"],
  [
    "operating system",
    "Linux",
    "Debian 12 on x86-64",
    "other distributions; arm64, for which an image is built",
  ],
  [
    "browser",
    `the Chromium or Chrome that ${code("doctor")} accepts`,
    "Debian 12's `chromium-headless-shell`, the current version on the day of the test",
    `the full browser; Chrome; the build that puppeteer ${installed("server", "puppeteer")} downloads`,
  ],
  ["PostgreSQL", "15 or newer", "15", "16 and 17; hosted services"],
  ["PgBouncer", "in session and transaction mode", "1.18", "other poolers"],
  [
    "Redis",
    "7 or newer, or Valkey",
    "7.0, with TLS and access control lists",
    "Valkey; hosted services; a cluster doesn't work",
  ],
  [
    "reverse proxy",
    "",
    "nginx 1.22 and Caddy 2.6, with the configurations in the guide and the deployments",
    "other proxies; their TLS",
  ],
  ["systemd unit", "", `${code("systemd-analyze verify")}, and its security rating`, "a run under systemd"],
  [
    "image and Compose",
    "",
    "where Docker is installed: build, start, `doctor`; everywhere: the schema, the browser under the system call filter",
    "Podman",
  ],
  [
    "Helm chart",
    "Kubernetes 1.25 or newer",
    `where Helm is installed: ${code("helm lint")}, the rendered objects`,
    "a cluster",
  ],
];

const ENGINE = (): string[][] => [
  ["Node", "22.19 or newer", testedNode(), "Bun, Deno"],
  [
    "operating system",
    "Linux",
    "Debian 12 on x86-64",
    "macOS and Windows: rendering might work, but the limits on pages need Linux",
  ],
  ["puppeteer", "25", installed("engine", "puppeteer"), ""],
  [
    "Keyv stores",
    "any with `get`, `set`, `delete` and `keys`",
    `a ${code("Map")}, and a ${code("Keyv")} ${installed("storage-redis", "keyv")} that stores text, with the conformance suite`,
    "`@keyv/redis` and other adapters",
  ],
  ["your own storage", "", "the conformance suites of `@snap/testing`", ""],
];

const CLIENT = (): string[][] => [
  ["Node", "20.19 or newer", `${testedNode()}; in CI also 20 and 22`, "26"],
  [
    "browsers, workers",
    "`fetch`, `AbortSignal.any`, ES2024",
    "a bundle in a context with only the globals of the web platform",
    "a browser; workerd",
  ],
  ["Bun, Deno", "the same", "in CI: calls with the packed client", ""],
  [
    "TypeScript",
    "5.7 or newer; older versions reject the types unless `skipLibCheck` is on",
    `${installed("workshop", "typescript")}, with \`node16\`, \`nodenext\` and \`bundler\`; types from the DOM, web workers and \`@types/node\``,
    "5.7 to 5.9, 7",
  ],
  [
    "Express, for webhooks",
    "4 and 5",
    `${installed("client", "express4")} and ${installed("client", "express")}`,
    "",
  ],
  [
    "Model Context Protocol",
    "",
    `the clients of both SDKs: ${code(`@modelcontextprotocol/client`)} ${installed("server", "@modelcontextprotocol/client")}, ${code(`@modelcontextprotocol/sdk`)} ${installed("server", "@modelcontextprotocol/sdk")}`,
    "assistants themselves",
  ],
  ["Postman", "", `newman ${installed("workshop", "newman")}`, "the application"],
];

const HEADER = ["", "required", "tested on every change", "not tested"];

export const supportPage: ReferencePage = {
  file: "support.md",
  title: "Support",
  summary: "What the service, the engine and the client require, and what the tests cover.",
  parts: () => [
    "Versions in the third column come from the lockfile or from Debian 12's packages. Untested environments may work; please report failures.",
    "## The service",
    table(HEADER, SERVICE()),
    "## The engine in your own service",
    table(HEADER, ENGINE()),
    "## The client and other callers",
    table(HEADER, CLIENT()),
  ],
};
