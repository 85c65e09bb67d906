import { once } from "node:events";
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { PNG } from "pngjs";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findBrowser } from "@snap/engine/puppeteer";
import { startRemoteBrowser } from "./remote-browser.ts";
import { openWorkspace, until, type MintedToken, type RunningCommand, type Workspace } from "./command.ts";
import { servePages, type Pages } from "./pages.ts";

describe("serve, on a signal", { tags: ["browser"] }, () => {
  let workspace: Workspace;
  afterEach(() => workspace.cleanUp());

  /** Starts a server with one running render, which waits for its page. */
  async function startWithRender(
    start: (args: readonly string[]) => RunningCommand = (args) => workspace.start(args),
  ): Promise<{
    running: RunningCommand;
    base: string;
    pending: Promise<Response>;
    held: Awaited<ReturnType<Pages["held"]>>;
    pages: Pages;
  }> {
    const pages = await servePages();
    workspace = openWorkspace({ SNAP_PORT: "0", SNAP_ALLOW_TARGETS: pages.target });
    const createAccount = ["accounts", "create", "--email", "ada@example.com", "--plan", "starter"];
    const account = (await workspace.json(createAccount)) as { id: string };
    const { token } = (await workspace.json(["tokens", "create", "--account", account.id])) as MintedToken;
    const running = start(["serve"]);
    const [, port] = await running.whenPrinted(/"port":(\d+),"msg":"listening"/);
    const base = `http://127.0.0.1:${port}`;
    const pending = fetch(`${base}/v1/snap?url=${encodeURIComponent(`${pages.url}held`)}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return { running, base, pending, held: await pages.held(), pages };
  }

  it.each([["SIGTERM"], ["SIGHUP"]] as const)(
    "%s: becomes unready immediately, finishes the running render, and exits with code 0",
    async (signal) => {
      const { running, base, pending, held, pages } = await startWithRender();
      running.child.kill(signal);
      await running.whenPrinted(/"msg":"stopping/);
      expect((await fetch(`${base}/readyz`)).status).toBe(503);
      held.end("<h1>done</h1>");
      const response = await pending;
      expect(response.status).toBe(200);
      expect(PNG.sync.read(Buffer.from(await response.arrayBuffer())).width).toBe(1280);
      expect(await running.ended).toMatchObject({ code: 0, signal: null, stderr: "" });
      await pages.close();
    },
  );

  it("a closed terminal: finishes the running render, although it can no longer log, and exits", async () => {
    const { running, pending, held, pages } = await startWithRender((args) =>
      workspace.startInTerminal(args),
    );
    const { pid } = running.child;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
    running.child.kill("SIGKILL");
    await running.ended;
    held.end("<h1>done</h1>");
    expect((await pending).status).toBe(200);
    // ended, or a zombie (state Z) if it has no parent that reaps it
    const state = (): Promise<string> =>
      readFile(`/proc/${children.trim()}/stat`, "utf8").catch(() => "ended");
    await until(state, (text) => text === "ended" || text.includes(") Z "));
    await pages.close();
  });

  it("SIGTERM during a batch: finishes the running render, exits with code 0, and renders the rest after a restart", async () => {
    const pages = await servePages();
    workspace = openWorkspace({
      SNAP_PORT: "0",
      SNAP_ALLOW_TARGETS: pages.target,
      SNAP_RENDER_CONCURRENCY: "1",
    });
    const createAccount = ["accounts", "create", "--email", "ada@example.com", "--plan", "starter"];
    const account = (await workspace.json(createAccount)) as { id: string };
    const { token } = (await workspace.json(["tokens", "create", "--account", account.id])) as MintedToken;
    const before = workspace.start(["serve"]);
    const [, port] = await before.whenPrinted(/"port":(\d+),"msg":"listening"/);
    const submitted = await fetch(`http://127.0.0.1:${port}/v1/renders`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ items: [{ url: `${pages.url}held` }, { url: `${pages.url}other` }] }),
    });
    expect(submitted.status).toBe(202);
    const { id } = (await submitted.json()) as { id: string };
    const held = await pages.held();
    before.child.kill("SIGTERM");
    // the service starts no new item, and is not ready while the first one is being rendered
    await until(
      async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status,
      (status) => status === 503,
    );
    held.end("<h1>done</h1>");
    expect(await before.ended).toMatchObject({ code: 0, signal: null, stderr: "" });
    const statuses = async (): Promise<unknown[]> => {
      const batch = (await workspace.json(["batches", "show", id])) as { items: { status: string }[] };
      return batch.items.map(({ status }) => status);
    };
    expect(await statuses()).toEqual(["done", "queued"]);

    const after = workspace.start(["serve"]);
    await after.whenPrinted(/"msg":"batch item done"/);
    expect(await statuses()).toEqual(["done", "done"]);
    after.child.kill("SIGTERM");
    expect(await after.ended).toMatchObject({ code: 0 });
    await pages.close();
  });

  it("SIGTERM while it is starting: exits immediately with code 0", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    workspace = openWorkspace({ SNAP_PORT: "0" });
    const server = workspace.start(["serve"], {
      SNAP_DATABASE_URL: `postgres://snap@127.0.0.1:${port}/snap`,
      SNAP_REDIS_URL: `redis://127.0.0.1:${port}`,
      SNAP_REDIS_OPTIONAL: "on",
      SNAP_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    });
    await Promise.all([once(silent, "connection"), server.whenPrinted(/"msg":"starting"/)]);
    server.child.kill("SIGTERM");
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
  });

  it("a second Ctrl-C: exits immediately with code 130", async () => {
    const { running, pending, pages } = await startWithRender();
    const lost = pending.then(
      () => false,
      () => true,
    );
    running.child.kill("SIGINT");
    await running.whenPrinted(/"msg":"stopping/);
    const outcome = await until(
      async () => {
        running.child.kill("SIGINT");
        return running.child.exitCode;
      },
      (code) => code !== null,
    );
    expect(outcome).toBe(130);
    expect(await lost).toBe(true);
    await pages.close();
  });
});

describe("serve with a remote browser", { tags: ["browser"] }, () => {
  it("logs the gaps in its containment in one line, without the secret part of its URL", async () => {
    const workspace = openWorkspace({ SNAP_PORT: "0", SNAP_BROWSER_URL: await startRemoteBrowser() });
    const running = workspace.start(["serve"]);
    await running.whenPrinted(/"msg":"listening"/);
    running.child.kill("SIGTERM");
    const { stdout, code } = await running.ended;
    await workspace.cleanUp();
    expect(code).toBe(0);
    const warnings = stdout.split("\n").filter((line) => line.includes('"level":"warn"'));
    expect(warnings).toHaveLength(1);
    expect(JSON.parse(warnings[0] ?? "")).toMatchObject({
      msg: "remote browser connected",
      egress: "proxy",
      gaps: expect.arrayContaining(["its pages run without a sandbox"]) as string[],
    });
    expect(stdout).not.toContain("/devtools/browser/");
  });

  it("refuses to start if egress is not configured", async () => {
    const workspace = openWorkspace({ SNAP_BROWSER_URL: "wss://browsers.example/?token=hunter2" });
    const { code, stderr } = await workspace.run(["serve"]);
    await workspace.cleanUp();
    expect(code).toBe(2);
    expect(stderr).toContain("SNAP_BROWSER_PROXY_HOST");
    expect(stderr).not.toContain("hunter2");
  });
});

describe("the first line of the log", () => {
  const workspace = openWorkspace({ SNAP_PORT: "0" });
  afterAll(() => workspace.cleanUp());

  it("names the version and the main settings, even if the browser does not start", async () => {
    const browser = join(workspace.directory, "browser");
    await writeFile(browser, "#!/bin/sh\n", { mode: 0o755 });
    const running = workspace.start(["serve"], { SNAP_CHROMIUM_PATH: browser, SNAP_UNKNOWN: "1" });
    const [line] = await running.whenPrinted(/^.*\n/);
    const { commit = "", ...facts } = JSON.parse(line) as Record<string, unknown>;
    // unknown in a build without the repository
    expect(commit).toMatch(/^([0-9a-f]{12})?$/);
    expect(facts).toEqual({
      level: "info",
      time: expect.any(String) as string,
      instance: `${hostname()}:${running.child.pid}`,
      version: "0.0.0",
      node: process.version,
      role: "all",
      storage: "embedded",
      data_dir: join(workspace.directory, "data"),
      browser,
      sandbox: "on",
      msg: "starting",
    });
  });

  it("names the servers without their credentials", async () => {
    const { stdout } = await workspace.run(["serve"], {
      SNAP_DATABASE_URL: "postgres://ada:hunter2@127.0.0.1:9/snap?sslmode=disable",
      SNAP_REDIS_URL: "rediss://:hunter3@127.0.0.1:10",
      SNAP_SECRET_KEY: "a key for this test",
      SNAP_BROWSER_URL: "ws://127.0.0.1:11/?token=hunter4",
    });
    expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({
      storage: "postgresql",
      database: "127.0.0.1:9/snap",
      redis: "127.0.0.1:10",
      browser: "ws://127.0.0.1:11",
    });
    expect(stdout).not.toContain("hunter");
  });
});

describe("serve on an address that this machine does not have", () => {
  const workspace = openWorkspace();
  afterAll(() => workspace.cleanUp());

  // RFC 5737: 192.0.2.1 is only for documentation
  it.each(["0", "3000"])("exits with advice if SNAP_PORT is %s", async (port) => {
    const environment = { SNAP_HOST: "192.0.2.1", SNAP_PORT: port, SNAP_CHROMIUM_PATH: "/bin/false" };
    const { code, stderr } = await workspace.run(["serve"], environment);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `error: cannot listen on 192.0.2.1 port ${port}: Error: listen EADDRNOTAVAIL: address not available 192.0.2.1` +
        `${port === "0" ? "" : ":3000"}; free the port, or choose another address with SNAP_HOST and SNAP_PORT\n`,
    );
  });
});

describe("serve without a usable sandbox", { tags: ["browser"] }, () => {
  const workspace = openWorkspace({ SNAP_PORT: "0" });
  afterAll(() => workspace.cleanUp());
  let unsandboxed = "";
  beforeAll(async () => {
    const browser = process.env["SNAP_CHROMIUM_PATH"] ?? (await findBrowser());
    // if the tests run as root, the browser runs as another user, who needs access to this folder
    await chmod(workspace.directory, 0o755);
    unsandboxed = join(workspace.directory, "browser");
    await writeFile(unsandboxed, `#!/bin/sh\nexec '${browser}' --no-sandbox "$@"\n`, { mode: 0o755 });
  });

  it("refuses to start, and explains how to fix it", async () => {
    const { code, stderr } = await workspace.run(["serve"], { SNAP_CHROMIUM_PATH: unsandboxed });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: .*sandbox.*snap-server doctor.*SNAP_SANDBOX=off.*\n$/);
  });

  it.each([
    [["serve"], { SNAP_SANDBOX: "off" }, /"level":"warn".*WITHOUT ITS SANDBOX[^]*"msg":"listening"/],
    [["serve", "--dev"], {}, /^!! WARNING: THE BROWSER IS RUNNING WITHOUT ITS SANDBOX\.[^]*^curl /m],
  ])("%j with %j starts with a warning", async (args, environment, warning) => {
    const running = workspace.start(args, { SNAP_CHROMIUM_PATH: unsandboxed, ...environment });
    await running.whenPrinted(warning);
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0 });
  });
});

describe("serve with a browser that does not start", () => {
  const workspace = openWorkspace({ SNAP_PORT: "0", SNAP_CHROMIUM_PATH: "/bin/false" });
  afterAll(() => workspace.cleanUp());

  it.each([
    ["5000", 90_000],
    ["100000", 145_000],
  ])(
    "logs a drain timeout longer than any render: SNAP_RENDER_TIMEOUT_MS=%s",
    async (timeout, drainTimeoutMs) => {
      const running = workspace.start(["serve"], { SNAP_RENDER_TIMEOUT_MS: timeout });
      await running.whenPrinted(/"msg":"listening"/);
      running.child.kill("SIGTERM");
      const { stdout } = await running.ended;
      expect(stdout).toMatch(new RegExp(`"drain_timeout_ms":${drainTimeoutMs},.*"msg":"stopping`));
    },
  );

  it("serves, but is not ready; its address is in the data folder until it stops", async () => {
    const running = workspace.start(["serve"]);
    const [, port] = await running.whenPrinted(
      /"level":"error".*not ready[^]*"port":(\d+),"msg":"listening"/,
    );
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    const data = join(workspace.directory, "data");
    expect(await readFile(join(data, "address"), "utf8")).toBe(`http://127.0.0.1:${port}\n`);
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(await readdir(data)).not.toContain("address");
  });
});
