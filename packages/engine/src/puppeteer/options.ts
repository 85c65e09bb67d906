import { systemResolver, type Resolver } from "../ports/resolver.ts";
import { PUBLIC_TARGETS_ONLY, type TargetPolicy } from "../target/policy.ts";
import type { SandboxMode } from "./launch-arguments.ts";
import type { RendererEvent } from "./renderer-event.ts";

/** How pages are rendered. Everything has a default that is safe with strangers' pages. */
export interface PuppeteerRendererOptions {
  /** The browser; looked for with `findBrowser` unless given. */
  readonly executablePath?: string | undefined;
  /** Chromium's own sandbox. `off` must be asked for; `on`, the default, fails where it can't work. */
  readonly sandbox?: SandboxMode;
  /** Which targets may be connected to; only public ones unless given. */
  readonly policy?: TargetPolicy;
  /** Name resolution; the operating system's unless given. */
  readonly resolver?: Resolver;
  /** For a whole render, the retry included; 45,000 unless given. */
  readonly renderTimeoutMs?: number;
  /** For a navigation and the wait for `waitUntil`; 30,000 unless given. */
  readonly navigationTimeoutMs?: number;
  /** Browser contexts that are made ready, while processors are free, for the renders to come; 4 unless given. */
  readonly warmContexts?: number;
  /** Renders after which the browser is replaced; 1,000 unless given. */
  readonly recycleAfterRenders?: number;
  /** Age at which the browser is replaced; an hour unless given. */
  readonly recycleAfterMs?: number;
  /** Memory of the browser's lasting processes above which it is replaced; 1 GiB unless given. */
  readonly recycleAboveBytes?: number;
  /** Memory above which a page's process is ended; 2 GiB unless given. */
  readonly pageMemoryMaxBytes?: number;
  /** How often the browser is asked whether it still answers; 5,000 unless given. */
  readonly probeIntervalMs?: number;
  /** How long it may take to answer; 5,000 unless given. Ended when it failed to, twice in a row. */
  readonly probeTimeoutMs?: number;
  /** Told what the operator may want to log or count. */
  readonly onEvent?: (event: RendererEvent) => void;
}

export type RendererSettings = Required<Omit<PuppeteerRendererOptions, "executablePath">> & {
  readonly executablePath: string | null;
};

const GIBIBYTE_BYTES = 1024 ** 3;

const LEAST = {
  renderTimeoutMs: 1,
  navigationTimeoutMs: 1,
  warmContexts: 0,
  recycleAfterRenders: 1,
  recycleAfterMs: 1,
  recycleAboveBytes: 1,
  pageMemoryMaxBytes: 1,
  probeIntervalMs: 1,
  probeTimeoutMs: 1,
} as const;

/** The longest a timer of JavaScript can take. */
const MOST = 2 ** 31 - 1;
const MOST_BYTES = Number.MAX_SAFE_INTEGER;

/**
 * Fills in the defaults.
 *
 * @throws RangeError that names the option at fault and the values that would do
 */
export function readOptions(options: PuppeteerRendererOptions): RendererSettings {
  const { executablePath, ...given } = options;
  const settings = {
    sandbox: "on",
    policy: PUBLIC_TARGETS_ONLY,
    resolver: systemResolver,
    renderTimeoutMs: 45_000,
    navigationTimeoutMs: 30_000,
    warmContexts: 4,
    recycleAfterRenders: 1_000,
    recycleAfterMs: 3_600_000,
    recycleAboveBytes: GIBIBYTE_BYTES,
    pageMemoryMaxBytes: 2 * GIBIBYTE_BYTES,
    probeIntervalMs: 5_000,
    probeTimeoutMs: 5_000,
    onEvent: () => {},
    ...given,
  } satisfies Omit<RendererSettings, "executablePath">;
  if (settings.sandbox !== "on" && settings.sandbox !== "off")
    throw new RangeError('sandbox must be "on" or "off"');
  for (const [name, least] of Object.entries(LEAST) as [keyof typeof LEAST, number][]) {
    const most = name.endsWith("Bytes") ? MOST_BYTES : MOST;
    const value = settings[name];
    if (Number.isInteger(value) && value >= least && value <= most) continue;
    throw new RangeError(`${name} must be an integer from ${least} to ${most}`);
  }
  return { ...settings, executablePath: executablePath ?? null };
}
