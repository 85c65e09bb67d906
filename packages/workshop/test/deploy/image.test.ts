// @module-tag docker
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../src/machine/run.ts";
import { ROOT } from "../../src/workspace.ts";

const BUILD_TIMEOUT_MS = 15 * 60_000;

/** Starts the service in compose.yaml without the proxy, in a separate Compose project. */
describe("the image", { timeout: BUILD_TIMEOUT_MS }, () => {
  let folder: string;
  const compose = (...args: string[]): ReturnType<typeof run> =>
    run("docker", ["compose", "--project-name", "snap-test", ...args], {
      cwd: join(folder, "packages/server/deploy"),
      env: { SNAP_PUBLIC_URL: "https://snap.example.com" },
    });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "snap-image-"));
    // Copy the build context, so the test can write an .env without touching the clone's.
    const { output } = await run("git", ["ls-files", "-z"]);
    for (const path of output.split("\0").filter(Boolean)) await cp(join(ROOT, path), join(folder, path));
    await writeFile(
      join(folder, "packages/server/deploy/.env"),
      "SNAP_PUBLIC_URL=https://snap.example.com\n",
    );
    const started = await compose("up", "--build", "--detach", "--wait", "--no-deps", "snap");
    if (!started.ok) throw new Error(started.output);
  }, BUILD_TIMEOUT_MS);

  afterAll(async () => {
    await compose("down", "--volumes", "--rmi", "local");
    await rm(folder, { recursive: true });
  }, BUILD_TIMEOUT_MS);

  it("renders in its sandbox, with only the privileges that compose.yaml grants", async () => {
    const { output } = await compose("exec", "--no-TTY", "snap", "snap-server", "doctor", "--json");
    const { checks } = JSON.parse(output) as { checks: { name: string; status: string }[] };
    const found = Object.fromEntries(checks.map(({ name, status }) => [name, status]));
    expect(found).toMatchObject({ sandbox: "ok", render: "ok", storage: "ok", fonts: "ok" });
  });

  it("cannot modify its own code", async () => {
    const { ok } = await compose("exec", "--no-TTY", "snap", "touch", "/opt/snap/package.json");
    expect(ok).toBe(false);
  });
});
