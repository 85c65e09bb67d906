import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { openWorkspace, type Workspace } from "./command.ts";

let workspace: Workspace;
let origin = "";

beforeAll(async () => {
  const port = await findFreePort();
  origin = `http://127.0.0.1:${port}`;
  // with a remote browser, the service starts no local one
  workspace = openWorkspace({
    SNAP_BROWSER_URL: "ws://127.0.0.1:9",
    SNAP_BROWSER_EGRESS: "direct",
    SNAP_PORT: String(port),
    SNAP_CONSOLE: "on",
  });
  const server = workspace.start(["serve"]);
  await server.whenPrinted(/"msg":"listening"/);
});
afterAll(() => workspace.cleanUp());

interface Link {
  readonly url: string;
  readonly expires_at: string;
}

/** Signs in with a link, as the console does. Returns the cookie, or the status of a failure. */
async function signIn(url: string): Promise<string | number> {
  const code = new URL(url).hash.replace("#sign-in=", "");
  const response = await fetch(`${origin}/admin/v1/sign-in`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: origin },
    body: JSON.stringify({ code }),
  });
  return response.headers.get("set-cookie")?.split(";", 1)[0] ?? response.status;
}

async function statusOf(cookie: string | number): Promise<number> {
  return (await fetch(`${origin}/admin/v1/session`, { headers: { Cookie: String(cookie) } })).status;
}

describe("snap-server console", () => {
  it("prints a link that works once while the service is running", async () => {
    const link = (await workspace.json(["console"])) as Link;
    expect(link).toEqual({
      url: expect.stringMatching(new RegExp(`^${origin}/console/#sign-in=[\\w-]{43}$`)),
      expires_at: expect.stringMatching(/Z$/),
    });
    const cookie = await signIn(link.url);
    expect(await statusOf(cookie)).toBe(200);
    expect(await signIn(link.url)).toBe(401);
    const { stdout } = await workspace.run(["console"]);
    expect(stdout).toMatch(
      new RegExp(
        `^Open this link in a browser\\. It works once, until \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC:\n\n${origin}/console/#sign-in=[\\w-]{43}\n$`,
      ),
    );
  });

  it("--sign-out-all ends all sessions and unused links", async () => {
    const [used, unused] = [
      (await workspace.json(["console"])) as Link,
      (await workspace.json(["console"])) as Link,
    ];
    const cookie = await signIn(used.url);
    const { ended } = (await workspace.json(["console", "--sign-out-all"])) as { ended: number };
    expect(ended).toBeGreaterThanOrEqual(2);
    expect(await statusOf(cookie)).toBe(401);
    expect(await signIn(unused.url)).toBe(401);
    const { stdout } = await workspace.run(["console", "--sign-out-all"]);
    expect(stdout).toBe("Sessions and unused links ended: 0.\n");
  });

  it("is recorded in the audit log without the code", async () => {
    const { url } = (await workspace.json(["console"])) as Link;
    await signIn(url);
    await workspace.json(["console", "--sign-out-all"]);
    const entries = (await workspace.json(["audit"])) as readonly {
      command: string;
      subjects: readonly string[];
    }[];
    expect(entries.slice(-3)).toMatchObject([
      { command: "console", subjects: [] },
      { command: "sign-in", subjects: [] },
      { command: "console", subjects: ["all sessions"] },
    ]);
    expect(JSON.stringify(entries)).not.toContain(url.slice(-43));
  });

  it("prints a link that opens the console", async () => {
    const { url } = (await workspace.json(["console"])) as Link;
    const page = await fetch(url);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<title>snap console</title>");
    expect(page.headers.get("content-security-policy")).not.toContain("unsafe");
    expect((await fetch(`${origin}/console`)).url).toBe(`${origin}/console/`);
  });

  it("prints no link if the console is off", async () => {
    expect(await workspace.run(["console"], { SNAP_CONSOLE: "off" })).toMatchObject({
      code: 2,
      stderr: "error: the console is off; set SNAP_CONSOLE=on, and restart the service\n",
    });
  });

  it("prints the address of the running service, whatever SNAP_PORT is", async () => {
    for (const port of ["0", "3999"])
      expect(await workspace.json(["console"], { SNAP_PORT: port })).toMatchObject({
        url: expect.stringMatching(`^${origin}/console/#`),
      });
  });

  it("prints no link if no service is running and its port is unknown", async () => {
    const stopped = { SNAP_DATA_DIR: join(workspace.directory, "stopped"), SNAP_PORT: "0" };
    expect(await workspace.run(["accounts", "create", "--email", "ada@example.com"], stopped)).toMatchObject({
      code: 0,
    });
    expect(await workspace.run(["console"], stopped)).toMatchObject({
      code: 2,
      stderr: "error: the service's port is unknown; set SNAP_PUBLIC_URL or SNAP_PORT\n",
    });
  });

  it("warns if SNAP_CONSOLE is not set", async () => {
    const { code, stderr } = await workspace.run(["console"], { SNAP_CONSOLE: "" });
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^warning: SNAP_CONSOLE is not set: the link works only if the service's console is on\n/,
    );
  });

  it("does not create a data folder", async () => {
    const { code, stderr } = await workspace.run(["console"], {
      SNAP_DATA_DIR: join(workspace.directory, "none"),
    });
    expect([code, stderr.includes("none")]).toEqual([1, true]);
    expect(await readdir(workspace.directory)).not.toContain("none");
  });
});
