import { existsSync } from "node:fs";
import { join } from "node:path";
import { CACHE } from "../workspace.ts";

/** A JavaScript runtime from the npm registry, for the tests of the client. */
export interface Runtime {
  readonly name: string;
  /** Package to install. Its scripts do not run, so its program comes from a package for this platform. */
  readonly package: string;
  /** Arguments that run a script, which follows. */
  readonly args: readonly string[];
  /** The program, under `node_modules`. */
  readonly program: string;
}

const { platform, arch } = process;
const PLATFORM = `${platform}-${arch}`;
const BUN_PLATFORM = `${platform}-${arch === "arm64" ? "aarch64" : arch}`;
const DENO_PLATFORM = platform === "linux" ? `${PLATFORM}-glibc` : PLATFORM;

/** The runtimes besides this one; together half a gigabyte. */
export const RUNTIMES: readonly Runtime[] = [
  node(20, "20.20.2"),
  node(22, "22.23.3"),
  { name: "bun", package: "bun@1.4.5", args: ["run"], program: `@oven/bun-${BUN_PLATFORM}/bin/bun` },
  {
    name: "deno",
    package: "deno@2.9.6",
    args: ["run", "--no-lock", "--allow-net=127.0.0.1", "--allow-env", "--allow-read"],
    program: `@deno/${DENO_PLATFORM}/deno`,
  },
];

function node(major: number, version: string): Runtime {
  const name = `node-${major}`;
  return { name, package: `${name}@npm:node-${PLATFORM}@${version}`, args: [], program: `${name}/bin/node` };
}

const FOLDER = join(CACHE, "runtimes");

/** The arguments of npm that install the runtimes. */
export const INSTALL_RUNTIMES: readonly string[] = [
  "install",
  "--prefix",
  FOLDER,
  "--ignore-scripts",
  "--no-save",
  "--no-audit",
  "--no-fund",
  ...RUNTIMES.map((runtime) => runtime.package),
];

export function programOf({ program }: Runtime): string {
  return join(FOLDER, "node_modules", program);
}

export function hasRuntimes(): boolean {
  return RUNTIMES.every((runtime) => existsSync(programOf(runtime)));
}
