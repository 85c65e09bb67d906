// @module-tag browser

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import {
  createPuppeteerRenderer,
  findBrowser,
  type PuppeteerRendererOptions,
  type RendererEvent,
} from "../../src/puppeteer/index.ts";
import { allowPorts, failureOf, readProcessGroup, required, screenshot } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

let site: Site;
const dirs: string[] = [];
let hold: (() => Promise<void>) | null = null;

beforeAll(async () => {
  site = await openSite({
    "/": "<h1>fine</h1>",
    "/with-held-image": "<img src=/held>",
    "/held": (_request, response) => {
      const respond = (): void =>
        void response.writeHead(200, { "content-type": "text/html" }).end("<h1>held</h1>");
      if (hold === null) respond();
      else void hold().then(respond);
    },
  });
});

afterAll(async () => {
  await site.close();
  for (const dir of dirs) rmSync(dir, { recursive: true });
});

interface ObservedRenderer {
  readonly renderer: Renderer;
  readonly events: RendererEvent[];
  /** Process id of the browser that started last. */
  readonly pid: () => number;
  /** Process ids of the running browsers. */
  readonly running: () => readonly number[];
}

function observe(options: PuppeteerRendererOptions = {}): ObservedRenderer {
  const events: RendererEvent[] = [];
  const renderer = createPuppeteerRenderer({
    targets: allowPorts(site.port),
    ...options,
    onEvent(event) {
      events.push(event);
      options.onEvent?.(event);
    },
  });
  const pid = (): number =>
    required(
      events.findLast((event) => event.type === "browser-started"),
      "browser",
    ).pid;
  const running = (): readonly number[] =>
    events
      .flatMap((event) => (event.type === "browser-started" ? [event.pid] : []))
      .filter((started) => readProcessGroup(started).length > 0);
  return { renderer, events, pid, running };
}

/** Injects `fault` while a page loads, for the first `times` loads. */
function duringLoad(fault: () => void, times: number): void {
  let remaining = times;
  hold = async () => {
    if (remaining <= 0) return;
    remaining -= 1;
    fault();
    await new Promise<never>(() => {});
  };
}

/** Keeps a browser stopped until it exits; otherwise throttling could resume it. */
function keepStopped(pid: number): void {
  const stop = setInterval(() => {
    if (readProcessGroup(pid).length === 0) clearInterval(stop);
    else process.kill(-pid, "SIGSTOP");
  }, 100);
}

async function expectExited(pid: number): Promise<void> {
  await expect.poll(() => readProcessGroup(pid)).toEqual([]);
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, "latin1");
}

function profilesOf(pid: number): string[] {
  return readProcessGroup(pid).flatMap(
    (member) => /--user-data-dir=([^\0]+)/.exec(commandOf(member.pid))?.slice(1) ?? [],
  );
}

/** Kills the browser process itself, not its helpers. */
const killBrowser = (pid: number): void => void process.kill(pid, "SIGKILL");
const killRenderers = (pid: number): void => {
  for (const member of readProcessGroup(pid))
    if (member.role === "renderer") process.kill(member.pid, "SIGKILL");
};

describe.each([
  ["a browser killed during a render", killBrowser, "/held", true],
  // the page's process may still be starting while the document loads, but not while its image does
  ["a page's process killed during a render", killRenderers, "/with-held-image", false],
])("%s", (_name, kill, path, pageEnded) => {
  it("causes a retry after the first failure", async () => {
    const { renderer, events, pid } = observe();
    await renderer.health();
    duringLoad(() => kill(pid()), 1);
    const file = await renderer.render(screenshot(site.url(path)), { requestId: "request-1" });
    expect(file.targetStatus).toBe(200);
    expect(events.filter((event) => event.type === "render-retried")).toEqual([
      { type: "render-retried", reason: expect.any(String) as string, requestId: "request-1" },
    ]);
    await renderer.close();
    for (const event of events) if (event.type === "browser-started") await expectExited(event.pid);
  });

  it("causes upstream_error after the second failure, but does not affect the next render", async () => {
    const { renderer, events, running } = observe();
    await renderer.health();
    duringLoad(() => running().forEach(kill), 2);
    const rendering = renderer.render(screenshot(site.url(path)));
    await expect(rendering).rejects.toMatchObject({ code: "upstream_error", pageEnded });
    expect((await renderer.render(screenshot(site.url("/")))).targetStatus).toBe(200);
    await renderer.close();
    for (const event of events) if (event.type === "browser-started") await expectExited(event.pid);
  });
});

it("a browser killed during renders causes a retry in a separate browser for each account", async () => {
  const { renderer, events, pid } = observe();
  await renderer.health();
  const shared = pid();
  let loads = 0;
  hold = async () => {
    loads += 1;
    if (loads === 2) killBrowser(shared);
    if (loads <= 2) await new Promise<never>(() => {});
  };
  const keys = ["a", "b"];
  const files = keys.map((isolationKey) => renderer.render(screenshot(site.url("/held")), { isolationKey }));
  expect((await Promise.all(files)).map(({ targetStatus }) => targetStatus)).toEqual([200, 200]);
  // including the one that replaces the shared browser
  const started = (): RendererEvent[] => events.filter(({ type }) => type === "browser-started");
  await expect.poll(started).toHaveLength(4);
  await renderer.close();
});

it("an error in a listener becomes a warning, and affects neither renders nor the replacement of the browser", async () => {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const started: number[] = [];
  const renderer = createPuppeteerRenderer({
    targets: allowPorts(site.port),
    onEvent: (event) => {
      if (event.type === "browser-started") started.push(event.pid);
      throw new Error(`a fault while handling ${event.type}`);
    },
  });
  expect(await renderer.health()).toMatchObject({ ready: true });
  const [first = 0] = started;
  duringLoad(() => killBrowser(first), 1);
  expect((await renderer.render(screenshot(site.url("/held")))).targetStatus).toBe(200);
  await expect.poll(() => warn).toHaveBeenCalledWith(new Error("a fault while handling browser-ended"));
  expect(await renderer.health()).toMatchObject({ ready: true });
  await renderer.close();
  warn.mockRestore();
  for (const pid of started) await expectExited(pid);
});

describe("a browser that is stopped", () => {
  it("is detected by the probe and replaced, and its render is retried", async () => {
    const { renderer, events, pid } = observe({ probeIntervalMs: 100, probeTimeoutMs: 3_000 });
    await renderer.health();
    const stopped = pid();
    duringLoad(() => process.kill(-stopped, "SIGSTOP"), 1);
    expect((await renderer.render(screenshot(site.url("/held")))).targetStatus).toBe(200);
    const types = events.map((event) => event.type);
    expect(types.filter((type) => type === "browser-unresponsive")).toHaveLength(1);
    expect(types.filter((type) => type === "render-retried")).toHaveLength(1);
    expect(types).not.toContain("page-ended");
    await expectExited(stopped);
    await renderer.close();
  });

  it("is replaced even if only its network process is stopped", async () => {
    const { renderer, events, pid } = observe({ probeIntervalMs: 100, probeTimeoutMs: 3_000 });
    await renderer.health();
    const stopped = pid();
    const processes = readProcessGroup(stopped).map((member) => member.pid);
    const network = processes.find((id) => commandOf(id).includes("network.mojom.NetworkService"));
    duringLoad(() => process.kill(required(network, "network process"), "SIGSTOP"), 1);
    expect((await renderer.render(screenshot(site.url("/held")))).targetStatus).toBe(200);
    expect(events).toContainEqual({ type: "browser-unresponsive", pid: stopped });
    await expectExited(stopped);
    await renderer.close();
  });

  it("ends its pages without a retry if it is an isolated browser", async () => {
    const { renderer, events, pid } = observe({ probeIntervalMs: 100, probeTimeoutMs: 500 });
    await renderer.health();
    duringLoad(() => keepStopped(pid()), 1);
    const rendering = renderer.render(screenshot(site.url("/held")), { isolationKey: "a", isIsolated: true });
    await expect(rendering).rejects.toMatchObject({
      code: "upstream_error",
      message: "The browser stopped responding: one of this account's pages overloaded it.",
      pageEnded: true,
    });
    expect(events.map((event) => event.type)).not.toContain("render-retried");
    await renderer.close();
  });
});

describe("a browser that cannot start", () => {
  it("makes the renderer not ready with a reason, until a start succeeds", async () => {
    const executablePath = join(makeDir(), "browser");
    const { renderer } = observe({ executablePath });
    const health = await renderer.health();
    expect(health.ready).toBe(false);
    expect(health.reason).toContain("exit code 127");
    expect((await failureOf(renderer.render(screenshot(site.url("/"))))).code).toBe("upstream_error");
    symlinkSync(required(await findBrowser(), "browser"), executablePath);
    await expect.poll(() => renderer.health()).toMatchObject({ ready: true, reason: null });
    expect((await renderer.render(screenshot(site.url("/")))).targetStatus).toBe(200);
    await renderer.close();
  });

  it("has its last output included in the reason", async () => {
    const { renderer } = observe({ executablePath: script('echo "no display, no keyboard" >&2; exit 7') });
    const { reason } = await renderer.health();
    expect(reason).toContain("exit code 7");
    expect(reason).toContain("no display, no keyboard");
    await renderer.close();
  });
});

describe("the sandbox", () => {
  it("runs pages behind a seccomp filter and not as root", async () => {
    const { renderer, pid } = observe();
    await renderer.health();
    const renderers = readProcessGroup(pid()).filter((member) => member.role === "renderer");
    expect(renderers.length).toBeGreaterThan(0);
    for (const member of renderers) {
      const status = readFileSync(`/proc/${member.pid}/status`, "latin1");
      expect(status).toMatch(/^Seccomp:\t2$/m);
      expect(status).not.toMatch(/^Uid:\t0\b/m);
    }
    await renderer.close();
  });

  it("makes the renderer not ready if a wrapper script turns it off", async () => {
    const { renderer } = observe({ executablePath: script(`exec ${await findBrowser()} --no-sandbox "$@"`) });
    const health = await renderer.health();
    expect(health.ready).toBe(false);
    expect(health.reason).toContain("without a sandbox");
    await renderer.close();
  });

  it(
    "is not mistaken for a filter that the browser inherits, as in a container",
    { tags: ["seccomp"] },
    async () => {
      const filter = join(makeDir(), "allow-all");
      // one instruction of struct sock_filter: return SECCOMP_RET_ALLOW
      writeFileSync(filter, Buffer.from("060000000000ff7f", "hex"));
      const filtered = `exec 9<'${filter}'; exec bwrap --dev-bind / / --seccomp 9 --`;
      const { renderer } = observe({
        executablePath: script(`${filtered} ${await findBrowser()} --no-sandbox "$@"`),
      });
      const health = await renderer.health();
      expect(health.reason).toContain("without a sandbox");
      await renderer.close();
    },
  );

  it("can be turned off", async () => {
    const { renderer, pid } = observe({ sandbox: "off" });
    expect((await renderer.render(screenshot(site.url("/")))).targetStatus).toBe(200);
    expect(commandOf(pid())).toContain("--no-sandbox\0");
    await renderer.close();
  });
});

describe("a browser's priority", () => {
  it("is lower than the service's, for each process and for its session as a group", async () => {
    const { renderer, pid } = observe();
    await renderer.health();
    const members = readProcessGroup(pid());
    expect(members.length).toBeGreaterThan(1);
    const priorities = members.map((member) => getPriority(member.pid));
    expect(new Set(priorities)).toEqual(new Set([Math.min(getPriority() + 10, 19)]));
    const sessions = members.map((member) => autogroupOf(member.pid));
    expect(new Set(sessions).size).toBe(1);
    // some kernels have no session groups
    expect(sessions[0] ?? "nice 10").toMatch(/nice 10$/);
    await renderer.close();
  });
});

/** Returns a line such as `/autogroup-123 nice 10`; `undefined` if the kernel does not group sessions. */
function autogroupOf(pid: number): string | undefined {
  const path = `/proc/${pid}/autogroup`;
  return (existsSync(path) && readFileSync(path, "latin1").trim()) || undefined;
}

describe("recycling", () => {
  it.each<[string, PuppeteerRendererOptions]>([
    ["renders", { recycleAfterRenders: 3 }],
    ["age", { recycleAfterMs: 500 }],
    ["memory", { recycleAboveBytes: 1_000_000 }],
  ])(
    "by %s starts the new browser before it retires the old one, and fails no render",
    async (reason, options) => {
      const runningAtStarts: number[] = [];
      const { renderer, events, pid, running } = observe({
        ...options,
        onEvent(event) {
          if (event.type === "browser-started") runningAtStarts.push(running().length);
        },
      });
      await renderer.health();
      const first = pid();
      const renderRepeatedly = async (): Promise<void> => {
        for (let i = 0; i < 5; i += 1) {
          expect((await renderer.render(screenshot(site.url("/")))).targetStatus).toBe(200);
          expect(await renderer.health()).toMatchObject({ ready: true, reason: null });
        }
      };
      await Promise.all([renderRepeatedly(), renderRepeatedly()]);
      await expect.poll(() => pid()).not.toBe(first);
      expect(runningAtStarts.slice(0, 2)).toEqual([1, 2]);
      expect(events).toContainEqual({ type: "browser-recycled", pid: first, reason });
      expect(events.map((event) => event.type)).not.toContain("render-retried");
      await expectExited(first);
      await renderer.close();
      await expectExited(pid());
    },
  );
});

describe("close", () => {
  it("aborts running renders, and leaves no process or profile behind", async () => {
    const { renderer, pid } = observe();
    await renderer.health();
    const profiles = profilesOf(pid());
    expect(profiles.length).toBeGreaterThan(0);
    const running = failureOf(renderer.render(screenshot(site.url("/"), { delay: 10_000 })));
    await renderer.close();
    expect((await running).code).toBe("upstream_error");
    await expectExited(pid());
    expect(profiles.filter((profile) => existsSync(profile))).toEqual([]);
    expect(await renderer.health()).toMatchObject({ ready: false, reason: "closed" });
    expect((await failureOf(renderer.render(screenshot(site.url("/"))))).code).toBe("upstream_error");
  });

  it("leaves no process or profile behind if the browser is still starting", async () => {
    const startedPath = join(makeDir(), "started");
    writeFileSync(startedPath, "");
    chmodSync(startedPath, 0o666); // browsers may run as another user
    // never finishes starting
    const hanging = `[ "$1" = --version ] && exit; echo "$$ $HOME" >"${startedPath}"; exec sleep 60`;
    const { renderer } = observe({ executablePath: script(hanging) });
    await expect.poll(() => readFileSync(startedPath, "latin1")).toMatch(/\n$/);
    const [pid = "", profile = ""] = readFileSync(startedPath, "latin1").trim().split(" ");
    expect([readProcessGroup(Number(pid)).length, existsSync(profile)]).toEqual([1, true]);
    await renderer.close();
    expect(await renderer.health()).toMatchObject({ ready: false, reason: "closed" });
    await expectExited(Number(pid));
    expect(existsSync(profile)).toBe(false);
  });
});

it("a page whose script loops forever leaves no process behind", async () => {
  const spinning = await openSite({ "/": "<script>for (;;);</script>" });
  const { renderer, pid } = observe({
    targets: allowPorts(spinning.port),
    renderTimeoutMs: 1_500,
    warmContexts: 1,
  });
  await renderer.health();
  expect((await failureOf(renderer.render(screenshot(spinning.url("/"))))).code).toBe("render_timeout");
  // the next ready tab has one such process
  const renderers = () => readProcessGroup(pid()).filter((member) => member.role === "renderer");
  await expect.poll(() => renderers().length).toBeLessThanOrEqual(1);
  await renderer.close();
  await spinning.close();
});

describe("a browser whose parent process is killed", () => {
  it("exits, has its profile removed, and has not inherited secrets", async () => {
    const [parent, pid] = await startParent();
    for (const member of readProcessGroup(pid)) {
      expect(readFileSync(`/proc/${member.pid}/environ`, "latin1")).not.toContain("hunter2");
    }
    const profiles = profilesOf(pid);
    parent.kill("SIGKILL");
    await expectExited(pid);
    await expect.poll(() => profiles.filter((profile) => existsSync(profile))).toEqual([]);
  });

  it.each(["on", "off"] as const)("is killed even while it is stopped: sandbox %s", async (sandbox) => {
    const [parent, pid] = await startParent({ sandbox });
    const profiles = profilesOf(pid);
    process.kill(-pid, "SIGSTOP");
    parent.kill("SIGKILL");
    await expectExited(pid);
    await expect.poll(() => profiles.filter((profile) => existsSync(profile))).toEqual([]);
  });
});

/** Starts a process with a renderer; resolves with the process and the id of its browser's process. */
async function startParent(options: PuppeteerRendererOptions = {}): Promise<[ChildProcess, number]> {
  const driver = new URL("../../src/puppeteer/index.ts", import.meta.url).href;
  const program = `
    const { createPuppeteerRenderer } = await import(${JSON.stringify(driver)});
    const options = ${JSON.stringify(options)};
    createPuppeteerRenderer({ ...options, onEvent: (event) => event.pid && console.log(event.pid) });
  `;
  const parent = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...process.env, SNAP_SECRET_KEY: "hunter2" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface(parent.stdout), "line");
  return [parent, Number(line)];
}

/** Creates a directory that the browser's user can access. */
function makeDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "snap-test-"));
  chmodSync(dir, 0o755);
  dirs.push(dir);
  return dir;
}

/** Creates a shell script to start instead of a browser. */
function script(body: string): string {
  const path = join(makeDir(), "browser");
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}
