// @module-tag browser

import { createFakeClock, createFakeMachine, createFakeRandom, createMemoryStorage } from "@snap/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createEngine, type Engine } from "../../src/create-engine.ts";
import type { Renderer } from "../../src/ports/renderer.ts";
import type { Principal } from "../../src/ports/tokens.ts";
import {
  createPuppeteerRenderer,
  type PuppeteerRendererOptions,
  type RendererEvent,
} from "../../src/puppeteer/index.ts";
import { browserWithSiteIsolation } from "./site-isolation.ts";
import { allowPorts, readProcessGroup, screenshot } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

/** Finding the page that overloads a browser takes seconds, and far longer while other tests are using the CPU. */
const DETECTION_TIMEOUT_MS = 120_000;
const MIB = 1024 ** 2;
const ALLOCATE_100_MIB = `new Uint8Array(100 * 1024 ** 2).fill(1)`;
/** Keeps a page from loading, so that it can only be ended, however slow the machine is. */
const HANGING_IMAGE = "<img src=/hangs>";

let site: Site;
const held: (() => void)[] = [];

beforeAll(async () => {
  site = await openSite({
    "/": "<h1>fine</h1>",
    "/holds": "<img src=/held>",
    "/held": (_request, response) => void held.push(() => void response.writeHead(404).end()),
    "/hangs": () => {},
    "/spins": `${HANGING_IMAGE}<script>
      const script = URL.createObjectURL(new Blob(["for (;;);"]));
      for (let i = 0; i < 8; i += 1) new Worker(script);
    </script>`,
    "/spins-at-once": `${HANGING_IMAGE}<script>for (;;);</script>`,
    "/allocates": `${HANGING_IMAGE}<script>
      const kept = [];
      setInterval(() => kept.push(${ALLOCATE_100_MIB}), 10);
    </script>`,
    "/frames-allocate": `<body>${HANGING_IMAGE}<script>
      for (const host of ["a.test", "b.test", "c.test", "d.test"])
        document.body.append(
          Object.assign(document.createElement("iframe"), {
            src: "http://" + host + ":" + location.port + "/allocates-once",
          }),
        );
    </script>`,
    "/allocates-once": `<script>const kept = [${ALLOCATE_100_MIB}, ${ALLOCATE_100_MIB}]</script>`,
    "/stores-blobs": `${HANGING_IMAGE}<script>
      const stored = [];
      const bytes = new Uint8Array(20 * 1024 ** 2);
      setInterval(() => stored.push(new Blob([bytes])), 20);
    </script>`,
    "/overloads-gpu": `${HANGING_IMAGE}<canvas width=2000 height=2000></canvas><script>
      const gl = document.querySelector("canvas").getContext("webgl");
      const program = gl.createProgram();
      const attach = (type, source) => {
        const shader = gl.createShader(type);
        gl.shaderSource(shader, source);
        gl.compileShader(shader);
        gl.attachShader(program, shader);
      };
      attach(gl.VERTEX_SHADER, "attribute vec2 a; void main() { gl_Position = vec4(a, 0, 1); }");
      attach(gl.FRAGMENT_SHADER, \`precision highp float;
        void main() {
          float x = 0.0;
          for (int i = 0; i < 20000; i++) x = sin(x + gl_FragCoord.x);
          gl_FragColor = vec4(x);
        }\`);
      gl.linkProgram(program);
      gl.useProgram(program);
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), gl.STATIC_DRAW);
      gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
      gl.enableVertexAttribArray(0);
      const draw = () => {
        gl.drawArrays(gl.TRIANGLES, 0, 3);
        gl.flush();
        requestAnimationFrame(draw);
      };
      draw();
    </script>`,
    "/overloads-io-thread": `${HANGING_IMAGE}<script>
      const list = () => {
        for (let i = 0; i < 2000; i += 1) navigator.mediaDevices.enumerateDevices();
        setTimeout(list);
      };
      list();
    </script>`,
    "/floods": `${HANGING_IMAGE}<script>
      const script = URL.createObjectURL(new Blob(["0"]));
      setInterval(() => { for (let i = 0; i < 20; i += 1) new Worker(script).terminate() }, 0);
    </script>`,
  });
});

afterAll(() => site.close());

interface ObservedRenderer {
  readonly renderer: Renderer;
  readonly events: RendererEvent[];
  /** Process groups of the browsers that have started, in order. */
  readonly pids: () => number[];
}

async function observe(options: PuppeteerRendererOptions = {}): Promise<ObservedRenderer> {
  const events: RendererEvent[] = [];
  const renderer = createPuppeteerRenderer({
    targets: allowPorts(site.port),
    resolver: { resolve: async () => ["127.0.0.1"] },
    warmContexts: 1,
    navigationTimeoutMs: DETECTION_TIMEOUT_MS,
    renderTimeoutMs: DETECTION_TIMEOUT_MS,
    onEvent: (event) => events.push(event),
    ...options,
  });
  onTestFinished(() => renderer.close());
  await renderer.health();
  const pids = (): number[] =>
    events.flatMap((event) => (event.type === "browser-started" ? [event.pid] : []));
  return { renderer, events, pids };
}

function renderHostile(renderer: Renderer, path: string): Promise<unknown> {
  return renderer.render(screenshot(site.url(path)), { isolationKey: "hostile" });
}

/** Renders pages for another account, one after another, until `settled` settles; returns their statuses. */
async function renderAlongside(renderer: Renderer, settled: Promise<unknown>): Promise<unknown[]> {
  const statuses: unknown[] = [];
  let isSettled = false;
  const wait = settled.catch(() => {}).finally(() => (isSettled = true));
  while (!isSettled) {
    const file = await renderer.render(screenshot(site.url("/")), { isolationKey: "neighbor" });
    statuses.push(file.targetStatus);
  }
  await wait;
  return statuses;
}

function endReasonsOf(events: readonly RendererEvent[]): unknown[] {
  return events.flatMap((event) => (event.type === "page-ended" ? [event.reason] : []));
}

describe("a page that takes up the CPU", { timeout: 2 * DETECTION_TIMEOUT_MS }, () => {
  it.each(["/spins", "/spins-at-once"])(
    "is ended at its limit, while a neighbor renders in the same browser: %s",
    async (path) => {
      const { renderer, events, pids } = await observe({ pageCpuMaxMs: 1_500 });
      const rendering = renderHostile(renderer, path);
      const statuses = await renderAlongside(renderer, rendering);
      await expect(rendering).rejects.toMatchObject({
        code: "render_timeout",
        message: "The page used more than 1.5 s of CPU time.",
        pageEnded: true,
      });
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(endReasonsOf(events)).toEqual(["processor-time"]);
      expect(events.map(({ type }) => type)).not.toContain("browser-ended");
      expect(pids().length).toBeLessThanOrEqual(2);
    },
  );
});

describe("a page that takes up memory", { timeout: 2 * DETECTION_TIMEOUT_MS }, () => {
  it("is ended at the limit of all its processes together", async () => {
    const { renderer, events, pids } = await observe({
      executablePath: await browserWithSiteIsolation(),
      pageMemoryMaxBytes: 600 * MIB,
    });
    await expect(renderHostile(renderer, "/frames-allocate")).rejects.toMatchObject({
      code: "upstream_error",
      message: "The page used more than 600 MiB of memory.",
      pageEnded: true,
    });
    expect(endReasonsOf(events)).toEqual(["memory"]);
    const [pid = 0] = pids();
    const largePages = () =>
      readProcessGroup(pid).filter(({ role, memoryBytes }) => role === "renderer" && memoryBytes > 100 * MIB);
    await expect.poll(largePages).toEqual([]);
  });

  it("is ended for the memory that the browser uses for it, after a retry in an isolated browser", async () => {
    const { renderer, events, pids } = await observe({ pageMemoryMaxBytes: 400 * MIB });
    const rendering = renderHostile(renderer, "/stores-blobs");
    const statuses = await renderAlongside(renderer, rendering);
    await expect(rendering).rejects.toMatchObject({ code: "upstream_error", pageEnded: true });
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(events).toContainEqual({
      type: "render-retried",
      reason: "the page is suspected of using too much of the browser's memory",
    });
    expect(endReasonsOf(events)).toEqual(["memory"]);
    expect(pids()).toHaveLength(2);
  });
});

describe("pages that flood the browser", { timeout: 2 * DETECTION_TIMEOUT_MS }, () => {
  it("are moved to an isolated browser; a neighbor's renders in the shared one continue", async () => {
    // the pages must be found before a busy machine makes the browser miss its probes
    const { renderer, events, pids } = await observe({ probeTimeoutMs: 20_000 });
    const floods = Promise.allSettled([1, 2, 3].map(() => renderHostile(renderer, "/floods")));
    const moved = waitForRetry(events, "the page is suspected of flooding the browser");
    expect(new Set(await renderAlongside(renderer, moved))).toEqual(new Set([200]));
    await moved;
    const [shared] = pids();
    expect(events).not.toContainEqual(expect.objectContaining({ type: "browser-ended", pid: shared }));
    await renderer.close();
    await floods;
  });
});

describe("pages that overload a part of the browser", { timeout: 2 * DETECTION_TIMEOUT_MS }, () => {
  it.each([
    ["GPU process", "/overloads-gpu", 1, {}],
    // a slow response to a probe must not move the pages first
    ["I/O thread", "/overloads-io-thread", 3, { probeIntervalMs: 600_000 }],
  ])("are retried; a neighbor's renders succeed (%s)", async (part, path, count, options) => {
    // the limit on CPU time must not end them first, either
    const { renderer, events } = await observe({ pageCpuMaxMs: 600_000, ...options });
    const pages = Array.from({ length: count }, () => renderHostile(renderer, path));
    const rendering = Promise.allSettled(pages);
    const moved = waitForRetry(events, `the ${part} is overloaded`);
    expect(new Set(await renderAlongside(renderer, moved))).toEqual(new Set([200]));
    await moved;
    await renderer.close();
    await rendering;
  });
});

/** Resolves when a render has been retried for this reason. */
function waitForRetry(events: readonly RendererEvent[], reason: string): Promise<void> {
  const retried = { type: "render-retried", reason };
  return vi.waitFor(() => expect(events).toContainEqual(retried), { timeout: DETECTION_TIMEOUT_MS });
}

describe("an isolated render", () => {
  const isolated = { isolationKey: "a", isIsolated: true };

  it("shares a browser with other renders that have its key; the browser closes when it has been idle", async () => {
    const { renderer, pids } = await observe({ isolatedIdleMaxMs: 300 });
    await renderer.render(screenshot(site.url("/")), isolated);
    const again = renderer.render(screenshot(site.url("/holds")), isolated);
    await expect.poll(() => held).toHaveLength(1);
    const other = renderer.render(screenshot(site.url("/")), { isolationKey: "b", isIsolated: true });
    await other;
    const [shared = 0, first = 0, second = 0] = pids();
    expect(pids()).toHaveLength(3);
    await expect.poll(() => readProcessGroup(second)).toEqual([]);
    expect(readProcessGroup(first)).not.toEqual([]);
    held.shift()?.();
    await again;
    await expect.poll(() => readProcessGroup(first)).toEqual([]);
    expect(readProcessGroup(shared)).not.toEqual([]);
    await renderer.render(screenshot(site.url("/")), isolated);
    expect(pids()).toHaveLength(4);
    await renderer.close();
    for (const pid of pids()) await expect.poll(() => readProcessGroup(pid)).toEqual([]);
  });

  it("waits while the maximum number of browsers render for others, and then replaces an idle one", async () => {
    const { renderer, pids } = await observe({ isolatedBrowsersMax: 1 });
    const first = renderer.render(screenshot(site.url("/holds")), isolated);
    await expect.poll(() => held).toHaveLength(1);
    const second = renderer.render(screenshot(site.url("/")), { isolationKey: "b", isIsolated: true });
    await renderer.render(screenshot(site.url("/")), { isolationKey: "c" });
    expect(pids()).toHaveLength(2);
    held.shift()?.();
    await Promise.all([first, second]);
    expect(pids()).toHaveLength(3);
    await expect.poll(() => readProcessGroup(pids()[1] ?? 0)).toEqual([]);
  });

  it("is aborted by close(), which leaves no process behind", async () => {
    const { renderer, pids } = await observe();
    const running = renderer.render(screenshot(site.url("/holds")), isolated);
    await expect.poll(() => held).toHaveLength(1);
    held.length = 0;
    const [[outcome]] = await Promise.all([Promise.allSettled([running]), renderer.close()]);
    expect(outcome).toMatchObject({ reason: { code: "upstream_error" } });
    for (const pid of pids()) await expect.poll(() => readProcessGroup(pid)).toEqual([]);
  });
});

describe("an account whose page was ended", { timeout: 2 * DETECTION_TIMEOUT_MS }, () => {
  it("renders in an isolated browser for ten minutes", async () => {
    const { renderer, pids } = await observe({ pageMemoryMaxBytes: 400 * MIB, isolatedIdleMaxMs: 100 });
    const clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
    const engine = createEngine({
      storage: createMemoryStorage(),
      renderer,
      secretKey: "a key for these tests",
      clock,
      machine: createFakeMachine(),
      random: createFakeRandom(1),
      resolver: { resolve: async () => ["127.0.0.1"] },
    });
    const principal = await customerOf(engine);
    const capture = (path: string): Promise<unknown> =>
      engine.capture({ principal, parameters: { url: site.url(path), waitUntil: "load" } });
    await expect(capture("/allocates")).rejects.toMatchObject({ code: "upstream_error" });
    expect(pids()).toHaveLength(1);
    await capture("/?1");
    const [shared = 0, own = 0] = pids();
    expect(own).not.toBe(shared);
    clock.advance(600_000);
    await capture("/?2");
    await expect.poll(() => readProcessGroup(own)).toEqual([]);
    expect(pids()).toHaveLength(2);
    expect((await engine.credits(principal.account)).used).toBe(2);
  });
});

async function customerOf(engine: Engine): Promise<Principal> {
  const account = await engine.accounts.create({
    email: "ada@example.com",
    planSlug: "starter",
    verified: true,
  });
  const { token } = await engine.tokens.create({ accountId: account.id });
  return engine.authenticate(token);
}
