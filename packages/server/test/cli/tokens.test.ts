import { join } from "node:path";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkspace, until, type MintedToken, type RunningCommand, type Workspace } from "./command.ts";
import { servePages, type Pages } from "./pages.ts";

let pages: Pages;
let workspace: Workspace;
let port = 0;
beforeAll(async () => {
  pages = await servePages();
  port = await findFreePort();
  workspace = openWorkspace({ SNAP_PORT: String(port), SNAP_ALLOW_TARGETS: pages.target });
});
afterAll(async () => {
  await pages.close();
  await workspace.cleanUp();
});

const origin = (): string => `http://127.0.0.1:${port}`;

async function statusOf(path: string, token: string): Promise<number> {
  const response = await fetch(`${origin()}${path}`, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response.status;
}

describe("tokens, while a server is running", { tags: ["browser"] }, () => {
  let account = "";
  let first: MintedToken;
  let server: RunningCommand;
  const call = (...args: string[]): Promise<MintedToken> =>
    workspace.json(["tokens", ...args]) as Promise<MintedToken>;

  beforeAll(async () => {
    server = workspace.start(["serve"]);
    await server.whenPrinted(/"msg":"listening"/);
  });

  it("the server is ready, and logs JSON lines", async () => {
    expect((await fetch(`${origin()}/readyz`)).status).toBe(200);
    expect((await fetch(`${origin()}/v1/openapi.json`)).status).toBe(200);
    const [line] = await server.whenPrinted(/^.*"path":"\/v1\/openapi.json".*$/m);
    expect(JSON.parse(line)).toMatchObject({ level: "info", method: "GET", status: 200 });
  });

  it("the server accepts a token as soon as it is created", async () => {
    const created = await workspace.json([
      "accounts",
      "create",
      "--email",
      "ada@example.com",
      "--plan",
      "starter",
    ]);
    account = (created as { id: string }).id;
    first = await call("create", "--account", account);
    expect(first).toEqual({
      id: 1,
      account_id: account,
      name: null,
      abilities: ["screenshot", "pdf"],
      created_at: expect.any(String),
      expires_at: null,
      rotated_at: null,
      overlap_ends_at: null,
      last_used_at: null,
      token: expect.stringMatching(/^1\|[0-9A-Za-z]{40,}$/),
      signing_secret: expect.stringMatching(/^[0-9A-Za-z]{40,}$/),
    });
    expect(await statusOf("/v1/usage", first.token)).toBe(200);
    const url = encodeURIComponent(pages.url);
    expect(await statusOf(`/v1/snap?url=${url}`, first.token)).toBe(200);
    const { usage } = (await workspace.json(["accounts", "show", account])) as { usage: unknown };
    expect(usage).toMatchObject({ credits: { remaining: 999, used: 1, total: 1000 } });
  });

  it("the server rejects the old token as soon as it is rotated, and accepts the new one", async () => {
    const rotated = await call("rotate", "1");
    expect(rotated).toMatchObject({ id: 1, account_id: account, abilities: ["screenshot", "pdf"] });
    expect(await statusOf("/v1/usage", first.token)).toBe(401);
    expect(await statusOf("/v1/usage", rotated.token)).toBe(200);
    expect(rotated.signing_secret).not.toBe(first.signing_secret);
    const { signing_secret: revealed } = await call("reveal", "1");
    expect(revealed).toBe(rotated.signing_secret);
    const otherKey = { SNAP_SECRET_KEY: "not the key that encrypted it" };
    const { code, stderr } = await workspace.run(["tokens", "reveal", "1"], otherKey);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("SNAP_SECRET_KEY is not the key in "),
    });
  });

  it("revoke --all: revokes all tokens of one account", async () => {
    const { id: owner } = (await workspace.json(["accounts", "create", "--email", "many@example.com"])) as {
      id: string;
    };
    const ids: number[] = [];
    for (let count = 0; count < 2; count += 1)
      ids.push(((await workspace.json(["tokens", "create", "--account", owner])) as MintedToken).id);
    expect(await workspace.json(["tokens", "revoke", "--all", "--account", owner])).toEqual({
      ids,
      revoked: true,
    });
    expect(await workspace.json(["tokens", "list", "--account", owner])).toEqual([]);
    const { stdout } = await workspace.run(["tokens", "revoke", "--all", "--account", owner]);
    expect(stdout).toBe(`Account ${owner} has no tokens.\n`);
  });

  it.each([[[]], [["--all"]], [["--account", "acct_0"]], [["1", "--all", "--account", "acct_0"]]])(
    "revoke: rejects %j as a usage error",
    async (args) => {
      const { code, stderr } = await workspace.run(["tokens", "revoke", ...args]);
      expect([code, stderr]).toEqual([2, "error: pass the id of a token, or --all --account ID\n"]);
    },
  );

  it("the server accepts the old token until the overlap of a rotation ends", async () => {
    const old = await call("create", "--account", account, "--name", "the shop");
    const rotated = await call("rotate", String(old.id), "--overlap", "24h");
    expect(rotated).toMatchObject({ name: "the shop", overlap_ends_at: expect.stringMatching(/Z$/) });
    const statuses = async (): Promise<readonly number[]> =>
      Promise.all([old, rotated].map(({ token }) => statusOf("/v1/usage", token)));
    expect(await statuses()).toEqual([200, 200]);
    const { stdout } = await workspace.run(["tokens", "list", "--account", account]);
    expect(stdout).toMatch(/^ID +NAME +MAY RENDER +CREATED +LAST USED +ROTATED +OVERLAP ENDS +EXPIRES$/m);
    const overlapEnd = String(rotated.overlap_ends_at).slice(0, 16).replace("T", " ");
    expect(stdout).toMatch(new RegExp(`^${old.id} +the shop .* UTC +.*${overlapEnd} UTC +never$`, "m"));
    const again = await workspace.run(["tokens", "rotate", String(old.id), "--overlap", "1h"]);
    expect([again.code, again.stderr]).toEqual([
      1,
      `error: token ${old.id}'s previous secrets still work until ${rotated.overlap_ends_at}; ` +
        "wait until then, or rotate without --overlap, which ends all earlier secrets immediately\n",
    ]);
    expect(await statuses()).toEqual([200, 200]);
    await call("rotate", String(old.id));
    expect(await statuses()).toEqual([401, 401]);
    expect(await workspace.run(["tokens", "rotate", "1", "--overlap", "31d"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^error: option '--overlap <duration>' argument '31d' is invalid\..* at most 30d/,
      ),
    });
  });

  it("show prints everything but the secrets", async () => {
    const { id, token, signing_secret: secret } = await call("create", "--account", account, "--name", "ci");
    const document = await workspace.json(["tokens", "show", String(id)]);
    expect(document).toEqual({
      id,
      account_id: account,
      name: "ci",
      abilities: ["screenshot", "pdf"],
      created_at: expect.any(String),
      expires_at: null,
      rotated_at: null,
      overlap_ends_at: null,
      last_used_at: null,
    });
    const { stdout } = await workspace.run(["tokens", "show", String(id)]);
    expect(stdout).toMatch(/^name +ci$/m);
    expect(stdout).toMatch(/^last used +never$/m);
    for (const text of [token, secret]) expect(stdout).not.toContain(text);
    expect(await workspace.run(["tokens", "show", "99"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: token 99 not found/),
    });
  });

  it("the server rejects a token as soon as it is revoked", async () => {
    const { id, token } = await call("create", "--account", account, "--expires-in", "none");
    expect(await statusOf("/v1/usage", token)).toBe(200);
    expect(await workspace.json(["tokens", "revoke", String(id)])).toEqual({ id, revoked: true });
    expect(await statusOf("/v1/usage", token)).toBe(401);
    expect(await workspace.run(["tokens", "rotate", String(id)])).toMatchObject({
      code: 1,
      stderr: `error: token ${id} not found; \`snap-server tokens list --account ID\` lists the tokens of an account\n`,
    });
  });

  it("the server rejects an expired token", async () => {
    const { token, expires_at: expiresAt } = await call("create", "--account", account, "--expires-in", "2s");
    expect(expiresAt).not.toBeNull();
    const status = await until(
      () => statusOf("/v1/usage", token),
      (code) => code !== 200,
    );
    expect(status).toBe(401);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(String(expiresAt)));
  });

  it("create --ability restricts a token to one mode", async () => {
    const { id, token } = await call(
      "create",
      "--account",
      account,
      "--ability",
      "pdf",
      "--expires-in",
      "30d",
    );
    expect(await statusOf(`/v1/snap?url=${encodeURIComponent(pages.url)}`, token)).toBe(403);
    const { stdout } = await workspace.run(["tokens", "list", "--account", account]);
    expect(stdout).toMatch(new RegExp(`^${id}  +pdf  `, "m"));
    expect(stdout).not.toContain(token);
  });

  it("create prints the token once, with a command that uses it", async () => {
    const { stdout } = await workspace.run(["tokens", "create", "--account", account]);
    expect(stdout).toContain("not shown again");
    expect(stdout).toMatch(
      /^curl -fsS -H 'Authorization: Bearer \d+\|\w{43}' 'http:\/\/127\.0\.0\.1:\d+\/v1\/snap\?url=https%3A%2F%2Fexample\.com%2F' -o example\.png$/m,
    );
  });

  it("create prints the address of the running service, or SNAP_PORT if none is running", async () => {
    const create = async (environment: NodeJS.ProcessEnv): Promise<string> => {
      await workspace.json(["accounts", "create", "--email", "eve@example.com"], environment);
      return (await workspace.run(["tokens", "create", "--account", "eve@example.com"], environment)).stdout;
    };
    const otherPort = { SNAP_PORT: "4999" };
    expect(await create(otherPort)).toContain(`'${origin()}/v1/snap?`);
    const unused = { ...otherPort, SNAP_DATA_DIR: join(workspace.directory, "unused") };
    expect(await create(unused)).toContain("'http://127.0.0.1:4999/v1/snap?");
  });

  it("a second serve on the same port fails with advice", async () => {
    const { code, stderr } = await workspace.run(["serve"], { SNAP_DATA_DIR: "other" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: .*port \d+.*SNAP_PORT\n$/);
  });
});
