import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkspace, type MintedToken, type Workspace } from "./command.ts";

/** A remote browser that does not exist, so no local one is started. */
const ENVIRONMENT = { SNAP_BROWSER_URL: "ws://127.0.0.1:9", SNAP_BROWSER_EGRESS: "direct", SNAP_PORT: "0" };

describe("the secret key of a data folder", () => {
  let workspace: Workspace;
  let token: MintedToken;
  const file = (): string => join(workspace.directory, "data", "secret.key");

  beforeAll(async () => {
    workspace = openWorkspace(ENVIRONMENT);
    const account = (await workspace.json(["accounts", "create", "--email", "ada@example.com"])) as {
      id: string;
    };
    token = (await workspace.json(["tokens", "create", "--account", account.id])) as MintedToken;
    await rename(file(), `${file()}.right`);
  });
  afterAll(() => workspace.cleanUp());

  it.each([
    ["missing", "data contains a database but not its key file secret.key; restore the file"],
    ["wrong", "is not the key that encrypted the stored signing secrets; restore the right key"],
  ])("stops serve and other commands if it is %s, and doctor reports the remedy", async (state, message) => {
    if (state === "wrong") await writeFile(file(), "not the right key\n");
    for (const command of [["serve"], ["accounts", "list"], ["tokens", "rotate", "1"]]) {
      const { code, stderr } = await workspace.run(command);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
      expect(stderr).toContain("snap-server secret-key replace");
    }
    const { code, stdout } = await workspace.run(["doctor"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem +secret key: .*\n +-> restore .*`snap-server secret-key replace`/m);
  });

  it("is reported as missing by a dry run even if there are no tokens", async () => {
    const empty = openWorkspace(ENVIRONMENT);
    await empty.json(["accounts", "create", "--email", "ada@example.com"]);
    await rm(join(empty.directory, "data", "secret.key"));
    const { code, stdout } = await empty.run(["secret-key", "replace"]);
    await empty.cleanUp();
    expect([code, stdout]).toEqual([
      0,
      "There is no secret key, and no token needs one. Create one with --yes.\n",
    ]);
  });

  it("is not replaced without --yes, so the right key can be restored", async () => {
    const { code, stdout } = await workspace.run(["secret-key", "replace"]);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "does not decrypt the signing secrets of 1 token. If the right key is lost, replace",
    );
    await rm(file());
    expect((await workspace.run(["secret-key", "replace"])).stdout).toContain(
      "There is no secret key to decrypt the signing secrets of 1 token. If it is lost, replace",
    );
    expect(await workspace.json(["secret-key", "replace"])).toMatchObject({
      replaced: false,
      tokens: [{ id: 1 }],
    });
    await rename(`${file()}.right`, file());
    expect(await workspace.json(["tokens", "reveal", "1"])).toMatchObject({
      signing_secret: token.signing_secret,
    });
    const { stdout: nothing } = await workspace.run(["secret-key", "replace", "--yes"]);
    expect(nothing).toBe("The secret key decrypts every token's signing secret.\n");
    expect(await workspace.json(["tokens", "reveal", "1"])).toMatchObject({
      signing_secret: token.signing_secret,
    });
  });

  it("is replaced with --yes if it is lost: the token stays valid, with a new signing secret", async () => {
    await rm(file());
    expect(await workspace.json(["secret-key", "replace", "--yes"])).toMatchObject({
      replaced: true,
      tokens: [{ id: 1 }],
    });
    const revealed = (await workspace.json(["tokens", "reveal", "1"])) as MintedToken;
    expect(revealed.signing_secret).not.toBe(token.signing_secret);
    const server = workspace.start(["serve"]);
    const [, port] = await server.whenPrinted(/"port":(\d+),"msg":"listening"/);
    const headers = { Authorization: `Bearer ${token.token}` };
    expect((await fetch(`http://127.0.0.1:${port}/v1/usage`, { headers })).status).toBe(200);
    server.child.kill();
    await server.ended;
  });

  it("is not replaced while the service is running, which would keep using the previous key", async () => {
    const server = workspace.start(["serve"]);
    await server.whenPrinted(/"msg":"listening"/);
    expect(await workspace.run(["secret-key", "replace", "--yes"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is in use by the service, process \d+ .*; stop that process first/),
    });
    expect((await workspace.run(["secret-key", "replace"])).code).toBe(0);
  });

  it("is rejected with advice if it is too short, even by the command that replaces it", async () => {
    await writeFile(file(), "");
    expect(await workspace.run(["secret-key", "replace"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/fewer than 16 characters; .* delete the file and run/),
    });
  });
});
