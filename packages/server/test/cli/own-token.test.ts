import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { openWorkspace, type MintedToken, type RunningCommand, type Workspace } from "./command.ts";

const SECRET = "0123456789abcdef0123456789abcdef0123456789abcdef";
const ADVICE =
  "If the service's SNAP_TOKEN still contains the old secret, change or unset that variable; otherwise, the next start makes it valid again.";
const OTHER = "fedcba9876543210fedcba9876543210fedcba9876543210";

describe("SNAP_TOKEN", () => {
  let workspace: Workspace;
  beforeEach(() => (workspace = openWorkspace({ SNAP_PORT: "0", SNAP_CHROMIUM_PATH: "/bin/false" })));
  afterEach(() => workspace.cleanUp());

  async function start(environment: NodeJS.ProcessEnv): Promise<{
    readonly running: RunningCommand;
    readonly stop: () => Promise<void>;
    readonly usage: (token: string) => Promise<Response>;
  }> {
    const running = workspace.start(["serve"], environment);
    const [, port] = await running.whenPrinted(/"port":(\d+),"msg":"listening"/);
    return {
      running,
      async stop() {
        running.child.kill("SIGTERM");
        expect(await running.ended).toMatchObject({ code: 0 });
      },
      usage: (token) =>
        fetch(`http://127.0.0.1:${port}/v1/usage`, { headers: { authorization: `Bearer ${token}` } }),
    };
  }

  it("is a token of an account on the unlimited plan, until it changes or is removed", async () => {
    const first = await start({ SNAP_TOKEN: SECRET });
    await first.running.whenPrinted(/SNAP_TOKEN is token 1; .* npx snap-server tokens reveal 1"/);
    const report = await first.usage(SECRET);
    expect(report.status).toBe(200);
    expect(await report.json()).toMatchObject({ plan: { slug: "unlimited" } });
    expect((await first.usage(`1|${SECRET}`)).status).toBe(200);
    await first.stop();

    const file = join(workspace.directory, "token");
    await writeFile(file, `${OTHER}\n`);
    const second = await start({ SNAP_TOKEN_FILE: file });
    expect((await second.usage(OTHER)).status).toBe(200);
    for (const old of [SECRET, `1|${SECRET}`]) expect((await second.usage(old)).status).toBe(401);
    await second.stop();

    const third = await start({});
    for (const old of [OTHER, `1|${OTHER}`]) expect((await third.usage(old)).status).toBe(401);
    await third.stop();
    const { stdout } = await workspace.run(["audit", "--json"]);
    const entries = JSON.parse(stdout) as { command: string; subjects: string[] }[];
    expect(entries.map(({ command, subjects }) => [command, subjects.at(-1)])).toEqual([
      ["serve", "token 1"],
      ["serve", "token 1"],
      ["serve", "token 1"],
    ]);
    expect(stdout).not.toContain(SECRET);
  });

  it("remains valid if a service without it cannot listen", async () => {
    const before = await start({ SNAP_TOKEN: SECRET });
    await before.stop();
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const port = String((other.address() as AddressInfo).port);
    const { code, stderr } = await workspace.run(["serve"], { SNAP_PORT: port });
    expect([code, stderr]).toEqual([1, expect.stringContaining("another program is using it")]);

    const after = await start({ SNAP_TOKEN: SECRET });
    expect((await after.usage(`1|${SECRET}`)).status).toBe(200);
    await after.stop();
  });

  it("works again after it was revoked, if the service restarts with it, as the command says", async () => {
    const before = await start({ SNAP_TOKEN: SECRET });
    expect((await workspace.run(["tokens", "revoke", "1"])).stdout).toBe(`Revoked token 1.\n${ADVICE}\n`);
    expect((await before.usage(SECRET)).status).toBe(401);
    await before.stop();
    const after = await start({ SNAP_TOKEN: SECRET });
    await after.running.whenPrinted(/SNAP_TOKEN is token 2; /);
    expect((await after.usage(SECRET)).status).toBe(200);
    expect((await workspace.run(["tokens", "rotate", "2"])).stdout).toContain(`${ADVICE}\n`);
    await after.stop();
  });

  it("can be an existing token", async () => {
    const account = (await workspace.json(["accounts", "create", "--email", "ada@example.com"])) as {
      id: string;
    };
    const { token } = (await workspace.json(["tokens", "create", "--account", account.id])) as MintedToken;
    const { usage, stop } = await start({ SNAP_TOKEN: token });
    expect((await usage(token)).status).toBe(200);
    await stop();
    expect(await workspace.json(["accounts", "list"])).toHaveLength(1);
  });

  it.each([
    ["hunter2", "must be a random string of 32 to 128"],
    [`7|${SECRET}`, "it is not a valid token"],
  ])("is rejected at startup if it is %s", async (value, message) => {
    const { code, stdout, stderr } = await workspace.run(["serve"], { SNAP_TOKEN: value });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`SNAP_TOKEN: ${message}`)]);
    expect(stderr).toContain("openssl rand -hex 24");
    expect(stdout + stderr).not.toContain(value);
  });
});
