import type { Engine } from "@snap/engine";
import type { Command } from "commander";
import { readConfig, type Config } from "../config.ts";
import type { AdminParts } from "../wire.ts";
import { warn } from "./output.ts";

/** Dependencies of an operator's command. */
export interface Admin {
  readonly config: Config;
  readonly engine: Engine;
}

/** Reads the configuration from the environment; prints its warnings to stderr. */
export function loadConfig(): Config {
  const { config, warnings } = readConfig(process.env);
  for (const warning of warnings) warn(warning);
  return config;
}

/** Opens the storage, even while a server is running, and closes it when `work` ends. */
export async function administer<T>(work: (admin: Admin) => Promise<T>, parts: AdminParts = {}): Promise<T> {
  const config = loadConfig();
  const { openAdminEngine } = await import("../wire.ts");
  const engine = await openAdminEngine(config, parts);
  try {
    return await work({ config, engine });
  } finally {
    await engine.close();
  }
}

/** Adds `--json`, which every command supports. */
export function withJson(command: Command): Command {
  return command.option("--json", "print JSON, for programs");
}
