import type { ListedTarget, Engine } from "@snap/engine";
import { createSignInLink } from "../admin/sign-in-link.ts";
import { curlCommand } from "../cli/curl-command.ts";
import { printJson, printLines } from "../cli/output.ts";
import type { StartedRenderer } from "../cli/start-renderer.ts";
import type { DemoAccess } from "../pages/start-page.ts";
import type { Config } from "../config.ts";
import { formatBanner, type BannerFacts } from "./banner.ts";
import { ensureDemoToken } from "./demo-account.ts";
import { startDemoServer } from "./demo-server.ts";

/** What `--dev` adds to the service: a page to render, and an account with a token. */
export interface Demo {
  /** Allows the demo page, and no other private target. */
  readonly target: ListedTarget;
  /** Creates the account and the token if needed. */
  createAccess(engine: Engine, config: Config): Promise<DemoAccess>;
  /** Prints what to try. */
  announce(service: {
    readonly engine: Engine;
    readonly config: Config;
    readonly started: StartedRenderer;
    readonly publicUrl: string;
    readonly hasConsole: boolean;
    readonly access: DemoAccess;
    readonly json: boolean;
  }): Promise<void>;
  close(): Promise<void>;
}

/** Serves the demo page, on `preferredPort` if it is free. */
export async function startDemo(preferredPort: number): Promise<Demo> {
  const server = await startDemoServer(preferredPort);
  return {
    target: { kind: "cidr", address: server.host, prefixLength: 32, port: server.port },
    createAccess: async (engine, config) => ({
      token: await ensureDemoToken(engine, config),
      url: server.url,
    }),
    async announce({ engine, config, started, publicUrl, hasConsole, access, json }) {
      const { token } = access;
      const facts: BannerFacts = {
        origin: publicUrl,
        docs: `${publicUrl}/docs`,
        mcp: `${publicUrl}/mcp`,
        console: hasConsole ? (await createSignInLink(engine, publicUrl)).url : null,
        demo_page: server.url,
        token,
        data_dir: config.dataDir,
        sandbox: started.sandbox,
        ready: started.health.ready,
        curl: curlCommand({ origin: publicUrl, token, target: server.url, file: "demo.png" }),
      };
      if (json) printJson(facts, { indent: 0 });
      else printLines(formatBanner(facts));
    },
    close: () => server.close(),
  };
}
