import type { Engine } from "@snap/engine";
import type { Command } from "commander";
import { readConfig, type Config } from "../config.ts";
import { warn } from "./output.ts";

/** What an operator's command works with. */
export interface Admin {
  readonly config: Config;
  readonly engine: Engine;
}

/** The configuration of the environment; what looks mistyped in it is told on stderr. */
export function loadConfig(): Config {
  const { config, warnings } = readConfig(process.env);
  for (const warning of warnings) warn(warning);
  return config;
}

/** Opens the storage, also beside a running server, and closes it when the work is done. */
export async function administer<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
  const config = loadConfig();
  const { openAdminEngine } = await import("../wire.ts");
  const engine = await openAdminEngine(config);
  try {
    return await work({ config, engine });
  } finally {
    await engine.close();
  }
}

/** Every command can speak to programs. */
export function withJson(command: Command): Command {
  return command.option("--json", "print JSON, for programs");
}
