import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openConnectProxy } from "../../../testing/test/servers/connect-proxy.ts";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { afterEach, describe, expect, it } from "vitest";
import { startRemoteBrowser } from "./remote-browser.ts";
import { openWorkspace, type Workspace } from "./command.ts";

interface Report {
  readonly ok: boolean;
  readonly checks: readonly { name: string; status: string; message: string; advice?: string }[];
}

let workspace: Workspace;
afterEach(() => workspace.cleanUp());

async function examine(environment: NodeJS.ProcessEnv): Promise<{ code: number | null; report: Report }> {
  const { code, stdout } = await workspace.run(["doctor", "--json"], environment);
  return { code, report: JSON.parse(stdout) as Report };
}

function statuses({ checks }: Report): Record<string, string> {
  return Object.fromEntries(checks.map(({ name, status }) => [name, status]));
}

describe("doctor", { tags: ["browser"] }, () => {
  it("reports what works, and creates nothing", async () => {
    workspace = openWorkspace();
    const { code, report } = await examine({});
    expect(code).toBe(0);
    expect(report.ok).toBe(true);
    expect(statuses(report)).toMatchObject({
      configuration: "ok",
      browser: "ok",
      sandbox: "ok",
      render: "ok",
      "egress proxy": "ok",
      "page limits": "ok",
      images: "ok",
      storage: "ok",
    });
    expect(report.checks.find(({ name }) => name === "storage")?.message).toContain(
      "created on the first start",
    );
    expect(await readdir(workspace.directory)).toEqual([]);
  });

  it("reports every problem with advice, and exits with code 1", async () => {
    workspace = openWorkspace();
    const data = join(workspace.directory, "data");
    await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    const [account] = (await workspace.json(["accounts", "list"])) as { id: string }[];
    await workspace.json(["tokens", "create", "--account", String(account?.id)]);
    await writeFile(join(data, "secret.key"), "another key altogether\n");
    await chmod(data, 0o755);
    const { code, report } = await examine({ SNAP_CHROMIUM_PATH: "/nowhere/chromium" });
    expect(code).toBe(1);
    expect(report.ok).toBe(false);
    expect(statuses(report)).toMatchObject({
      browser: "problem",
      storage: "warning",
      "secret key": "problem",
    });
    const unhealthy = report.checks.filter(({ status }) => status !== "ok");
    for (const { advice = "" } of unhealthy) expect(advice).not.toBe("");

    const { stdout } = await workspace.run(["doctor"], { SNAP_CHROMIUM_PATH: "/nowhere/chromium" });
    expect(stdout).toMatch(/^problem +browser: .*\n +-> .*apt-get install chromium-headless-shell/m);
  });

  it("reports how full the cache is, and a disk that is too full for it", async () => {
    workspace = openWorkspace();
    await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    const { report } = await examine({ SNAP_CACHE_MAX_BYTES: "5000000000" });
    expect(report.checks.filter(({ name }) => name === "cache")).toEqual([
      {
        name: "cache",
        status: "ok",
        code: "ok",
        message: expect.stringMatching(/^renderings use 0 bytes of at most 5\.0 GB, [\d.]+ \w+ free$/),
      },
    ]);
    const lowDisk = await examine({ SNAP_DISK_RESERVE_BYTES: "999999999999999" });
    expect(lowDisk.code).toBe(0);
    expect(lowDisk.report.checks.filter(({ name }) => name === "cache")).toMatchObject([
      { status: "ok" },
      {
        status: "warning",
        message: expect.stringContaining("so renderings are evicted or not cached") as unknown,
      },
    ]);
  });

  it("tests the upstream proxy, warns about weak containment, and shows no password", async () => {
    workspace = openWorkspace();
    const proxy = await openConnectProxy({ credentials: "ada:hunter2", upstreamPort: await findFreePort() });
    const environment = (password: string): NodeJS.ProcessEnv => ({
      SNAP_UPSTREAM_PROXY: `http://ada:${password}@127.0.0.1:${proxy.port}`,
      SNAP_UPSTREAM_PROXY_DNS: "proxy",
      SNAP_NO_PROXY: "example.com",
    });
    const { code, report } = await examine(environment("hunter2"));
    expect(code).toBe(0);
    expect(statuses(report)).toMatchObject({ render: "ok", "egress proxy": "ok", "upstream proxy": "ok" });
    expect(report.checks.filter(({ name }) => /^(upstream|containment|name)/.test(name))).toMatchObject([
      { message: `http://127.0.0.1:${proxy.port} connects to example.com:443` },
      { message: `http://127.0.0.1:${proxy.port} connects to example.com:80` },
      { name: "containment", status: "warning", code: "containment_weak" },
    ]);
    expect(proxy.authorities.toSorted()).toEqual(["example.com:443", "example.com:80"]);

    const wrong = await workspace.run(["doctor"], environment("wr0ng"));
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(
      /^problem +upstream proxy: .* rejected this service's user name and password, or requires them \(407\)/m,
    );
    await proxy.close();
    const down = await workspace.run(["doctor", "--json"], environment("wr0ng"));
    expect(down.stdout).toContain("is not accepting connections");
    for (const { stdout, stderr } of [wrong, down]) expect(stdout + stderr).not.toContain("wr0ng");
  });

  it("detects a browser that starts only without its sandbox", async () => {
    workspace = openWorkspace();
    await chmod(workspace.directory, 0o755);
    const { findBrowser } = await import("@snap/engine/puppeteer");
    const browser = process.env["SNAP_CHROMIUM_PATH"] ?? (await findBrowser());
    const unsandboxed = join(workspace.directory, "browser");
    await mkdir(join(workspace.directory, "data"), { mode: 0o700 });
    await writeFile(unsandboxed, `#!/bin/sh\nexec '${browser}' --no-sandbox "$@"\n`, { mode: 0o755 });
    const { code, report } = await examine({ SNAP_CHROMIUM_PATH: unsandboxed });
    expect(code).toBe(1);
    expect(statuses(report)).toMatchObject({ browser: "ok", sandbox: "problem", render: "ok" });
    const sandboxOff = await examine({ SNAP_CHROMIUM_PATH: unsandboxed, SNAP_SANDBOX: "off" });
    expect(sandboxOff.code).toBe(0);
    expect(statuses(sandboxOff.report)).toMatchObject({ sandbox: "warning" });
  });

  it("reports which remote browsers are reachable, and their missing containment", async () => {
    workspace = openWorkspace();
    const address = await startRemoteBrowser();
    const { code, report } = await examine({ SNAP_BROWSER_URL: address });
    expect(code).toBe(0);
    expect(statuses(report)).toMatchObject({
      "remote browser": "ok",
      containment: "warning",
      render: "ok",
      "egress proxy": "ok",
    });
    const messages = report.checks.map(({ message }) => message).join("\n");
    expect(messages).toMatch(
      /Chrome\/\d+.* at ws:\/\/127\.0\.0\.1:\d+; its pages go through the egress proxy/,
    );
    expect(messages).toContain("its pages run without a sandbox");
    expect(messages).not.toContain(new URL(address).pathname);

    const direct = await examine({ SNAP_BROWSER_URL: address, SNAP_BROWSER_EGRESS: "direct" });
    expect(direct.code).toBe(0);
    expect(direct.report.checks.find(({ name }) => name === "containment")?.message).toContain(
      "pages connect directly from the browser's network",
    );

    const missing = await examine({ SNAP_BROWSER_URL: "ws://127.0.0.1:9/hunter2" });
    expect(missing.code).toBe(1);
    expect(statuses(missing.report)).toMatchObject({ "remote browser": "problem" });
    expect(JSON.stringify(missing.report)).toContain("ws://127.0.0.1:9 cannot be reached");
    expect(JSON.stringify(missing.report)).not.toContain("hunter2");
  });

  it("reports an invalid configuration", async () => {
    workspace = openWorkspace();
    const { code, report } = await examine({ SNAP_PORT: "x" });
    expect(code).toBe(1);
    expect(report.checks).toMatchObject([{ name: "configuration", status: "problem" }]);
  });
});
