import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { PNG } from "pngjs";
import { afterAll, describe, expect, it } from "vitest";
import { openWorkspace } from "./command.ts";

describe("serve --dev", { tags: ["browser"] }, () => {
  const workspace = openWorkspace();
  afterAll(() => workspace.cleanUp());
  const CURL = /^curl .*$/m;
  const shell = (line: string): Promise<unknown> =>
    promisify(execFile)("sh", ["-c", line], { cwd: workspace.directory });
  const readImage = async (): Promise<PNG> =>
    PNG.sync.read(await readFile(join(workspace.directory, "demo.png")));

  it("prints a working command, and the same one on the next start", async () => {
    const SNAP_PORT = String(await findFreePort());
    const running = workspace.start(["serve", "--dev"], { SNAP_PORT });
    const [line] = await running.whenPrinted(CURL);
    await shell(line);
    const { width, height, data } = await readImage();
    // The background color in the corner, the accent color anywhere.
    expect([width, height, ...data.subarray(0, 4)]).toEqual([1280, 800, 247, 243, 234, 255]);
    expect(data.includes(Buffer.from([232, 71, 28, 255]))).toBe(true);
    const [link] = await running.whenPrinted(/^http.*\/console\/#sign-in=[\w-]{43}$/m);
    expect((await fetch(link)).headers.get("content-type")).toBe("text/html; charset=utf-8");
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0, stderr: "" });

    const again = workspace.start(["serve", "--dev"], { SNAP_PORT });
    expect((await again.whenPrinted(CURL))[0]).toBe(line);
    expect(await workspace.json(["accounts", "list"])).toMatchObject([
      { email: "demo@example.com", plan: "growth", verified_at: expect.any(String) },
    ]);
    again.child.kill("SIGTERM");
    await again.ended;
  });

  it("stores the token in a file that only its owner can read, and replaces a revoked token", async () => {
    const file = join(workspace.directory, "data/demo-token");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const old = (await readFile(file, "utf8")).trim();
    await workspace.json(["tokens", "revoke", old.split("|")[0] ?? ""]);

    const running = workspace.start(["serve", "--dev", "--json"], { SNAP_PORT: "0" });
    const [document] = await running.whenPrinted(/^\{"origin":.*$/m);
    const output = JSON.parse(document) as { token: string; curl: string; demo_page: string };
    expect(output.token).not.toBe(old);
    await shell(output.curl);
    expect((await readImage()).width).toBe(1280);
    const otherTarget = `http://127.0.0.1:${Number(new URL(output.demo_page).port) + 1}/`;
    const response = await fetch(
      output.curl.replace(/^.*'(http[^']*)\?.*$/, `$1?url=${encodeURIComponent(otherTarget)}`),
      {
        headers: { authorization: `Bearer ${output.token}` },
      },
    );
    expect(await response.json()).toMatchObject({ code: "blocked_host" });
    running.child.kill("SIGTERM");
    await running.ended;
  });

  it("resumes the suspended demo account", async () => {
    await workspace.json(["accounts", "suspend", "demo@example.com"]);
    const running = workspace.start(["serve", "--dev", "--json"], { SNAP_PORT: "0" });
    const [document] = await running.whenPrinted(/^\{"origin":.*$/m);
    const { origin, token } = JSON.parse(document) as { origin: string; token: string };
    const usage = await fetch(`${origin}/v1/usage`, { headers: { authorization: `Bearer ${token}` } });
    expect(usage.status).toBe(200);
    running.child.kill("SIGTERM");
    await running.ended;
  });
});
