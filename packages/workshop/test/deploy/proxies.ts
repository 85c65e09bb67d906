import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../../server/test/cli/command.ts";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { parsePage, readFences } from "../../src/docs/markdown.ts";
import { ROOT } from "../../src/workspace.ts";

/** A configuration from a guide or a deployment, for a proxy in front of the service. */
interface ProxySetup {
  readonly name: string;
  /** Also the tag of its tests. */
  readonly program: "nginx" | "caddy";
  /** Returns the configuration, changed to use these ports of this machine. */
  configure(ports: Ports): string;
}

interface Ports {
  readonly own: number;
  readonly service: number;
}

const GUIDE = "docs/how-to/run-in-production.md";
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

export const PROXY_SETUPS: readonly ProxySetup[] = [
  {
    name: "nginx, as the guide shows it",
    program: "nginx",
    configure: ({ own, service }) =>
      wrapServer(
        replaceEach(blockOf("nginx"), [
          [/listen 443 ssl;\n/, `listen 127.0.0.1:${own};\n`],
          [/^ *ssl_certificate .*\n *ssl_certificate_key .*\n/m, ""],
          [/127\.0\.0\.1:3000;/, `127.0.0.1:${service};`],
        ]),
      ),
  },
  {
    name: "Caddy, as the guide shows it",
    program: "caddy",
    configure: ({ own, service }) =>
      replaceEach(blockOf("caddyfile"), [
        [/^snap\.example\.com \{/, `{\n  admin off\n  default_bind 127.0.0.1\n}\nhttp://127.0.0.1:${own} {`],
        [/127\.0\.0\.1:3000 /, `127.0.0.1:${service} `],
      ]),
  },
  ...["Caddyfile", "Caddyfile.cluster"].map((name): ProxySetup => ({
    name,
    program: "caddy",
    configure: ({ own, service }) =>
      replaceEach(read(`packages/server/deploy/${name}`), [
        [/admin off/, "admin off\n  default_bind 127.0.0.1"],
        [/\{\$SNAP_PUBLIC_URL\}/, `http://127.0.0.1:${own}`],
        [/reverse_proxy .*:3000 /, `reverse_proxy 127.0.0.1:${service} `],
      ]),
  })),
];

const COMMANDS = {
  nginx: ["nginx", "-p", ".", "-c", "configuration", "-e", "stderr"],
  caddy: ["caddy", "run", "--adapter", "caddyfile", "--config", "configuration"],
};

export interface RunningProxy {
  readonly origin: string;
  /** Stops it and deletes its files. */
  stop(): Promise<void>;
}

/** Starts a proxy in front of a service, and waits until it forwards requests. */
export async function startProxy(
  { program, configure }: ProxySetup,
  { service }: { service: number },
): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), "snap-proxy-"));
  const own = await findFreePort();
  const origin = `http://127.0.0.1:${own}`;
  await writeFile(join(folder, "configuration"), configure({ own, service }));
  const [command = "", ...args] = COMMANDS[program];
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const killProxy = (): void => void child.kill("SIGKILL");
  process.once("exit", killProxy);
  const ended = once(child, "close");
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (log += chunk));
  const forwards = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`${program} ended:\n${log}`);
    const response = await fetch(`${origin}/healthz`).catch(() => null);
    await response?.arrayBuffer();
    return response?.status === 200;
  };
  await until(forwards, Boolean);
  return {
    origin,
    async stop() {
      process.removeListener("exit", killProxy);
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the guide's first block in a language. */
function blockOf(language: string): string {
  const block = readFences(parsePage(GUIDE, read(GUIDE))).find((fence) => fence.language === language);
  if (block === undefined) throw new Error(`${GUIDE} has no block for ${language}`);
  return block.text;
}

/** Puts the server into a configuration with all files in one folder, without a second process. */
function wrapServer(server: string): string {
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path .;`);
  return [
    "daemon off; master_process off; pid pid; events {}",
    `http { access_log off; ${folders.join(" ")}`,
    server,
    "}",
  ].join("\n");
}

/** Applies each replacement once. Throws if a pattern does not match. */
function replaceEach(configuration: string, replacements: readonly (readonly [RegExp, string])[]): string {
  return replacements.reduce((text, [pattern, replacement]) => {
    if (!pattern.test(text)) throw new Error(`no ${String(pattern)} in\n${text}`);
    return text.replace(pattern, replacement);
  }, configuration);
}
