import type { RendererEvent } from "@snap/engine/puppeteer";
import type { Registry } from "prom-client";
import type { BUILD } from "../../version.ts";
import { gauge, registerAll } from "./define.ts";
import type { SERVERS } from "./storage.ts";

export const SERVICE_METRICS = {
  build: gauge({
    name: "snap_build_info",
    help: "Always 1; its labels describe what is running.",
    labels: {
      version: "the version of `@snap/server`",
      commit: "the commit that it was built from, or `unknown`",
      node: "the version of Node",
      browser: "the product and version of the browser; empty until one has started",
    },
  }),
  ready: gauge({
    name: "snap_ready",
    help: "1 if `/readyz` reports that the service is ready; 0 if it is not, while it is stopping, and if the check takes too long.",
  }),
  dependencies: gauge({
    name: "snap_dependency_up",
    help: "1 if the dependency works, 0 if not; `storage` and `browser` are absent if their check takes too long.",
    labels: {
      dependency: {
        storage: "accepts writes: PostgreSQL, or the data folder",
        browser: "a browser is running, or a remote one is connected",
        PostgreSQL: `responds in time; absent with a data folder`,
        Redis: `responds in time; absent with a data folder`,
      } satisfies Record<keyof typeof SERVERS | "storage" | "browser", string>,
    },
  }),
};

export interface ServiceState {
  readonly ready: boolean;
  /** Whether each dependency works, by name; only those that are known. */
  readonly dependencies: ReadonlyMap<string, boolean>;
}

export interface ServiceMetrics {
  /** Records the browser's version. */
  readonly recordEvent: (event: RendererEvent) => void;
  readonly setState: (state: ServiceState) => void;
}

export function createServiceMetrics(registry: Registry, { version, commit }: typeof BUILD): ServiceMetrics {
  const { build, ready, dependencies } = registerAll(SERVICE_METRICS, registry);
  const setBrowser = (browser: string): void => {
    build.reset();
    build.set({ version, commit: commit ?? "unknown", node: process.version, browser }, 1);
  };
  setBrowser("");
  return {
    recordEvent(event) {
      if (event.type === "browser-started" || event.type === "remote-browser-connected")
        setBrowser(event.version);
    },
    setState(state) {
      ready.set(state.ready ? 1 : 0);
      dependencies.reset();
      for (const [dependency, isUp] of state.dependencies) dependencies.set({ dependency }, isUp ? 1 : 0);
    },
  };
}
