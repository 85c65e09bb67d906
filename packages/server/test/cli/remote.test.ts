import { createEngine } from "@snap/engine";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { createFakeRenderer, createFakeResolver, createFakeWebhookSender } from "@snap/testing";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { listen } from "../../../testing/test/servers/listen.ts";
import { callRemote } from "../../src/admin/operations/remote-call.ts";
import { openWorkspace, type MintedToken, type Outcome, type Workspace } from "./command.ts";

const ADMIN_TOKEN = "a-token-for-remote-commands";
const SECRET_KEY = "a key for these tests";
const url = "https://example.com/";

/** The machine of the service, and one that has only its address and token. */
let service: Workspace;
let remote: Workspace;
let account = "";
let batches: readonly string[] = [];

beforeAll(async () => {
  const port = String(await findFreePort());
  // with a remote browser, the service starts no local one
  service = openWorkspace({
    SNAP_BROWSER_URL: "ws://127.0.0.1:9",
    SNAP_BROWSER_EGRESS: "direct",
    SNAP_SECRET_KEY: SECRET_KEY,
    SNAP_PORT: port,
  });
  remote = openWorkspace({ SNAP_ADMIN_URL: `http://127.0.0.1:${port}`, SNAP_ADMIN_TOKEN: ADMIN_TOKEN });
  account = (
    (await service.json(["accounts", "create", "--email", "Ada@example.com", "--plan", "starter"])) as {
      id: string;
    }
  ).id;
  await service.run(["accounts", "create", "--email", "grace@example.com"]);
  batches = await fillBatches();
  const server = service.start(["serve"], { SNAP_ADMIN_TOKEN: ADMIN_TOKEN, SNAP_ROLE: "api" });
  await server.whenPrinted(/"msg":"listening"/);
});
afterAll(async () => {
  await remote.cleanUp();
  await service.cleanUp();
});

/** Creates a batch whose webhook has failed once. */
async function fillBatches(): Promise<readonly string[]> {
  const webhookSender = createFakeWebhookSender();
  const attempted = Promise.withResolvers<void>();
  const engine = createEngine({
    storage: await openSqliteStorage({ directory: join(service.directory, "data") }),
    renderer: createFakeRenderer(),
    webhookSender,
    webhookRetryDelaysMs: [3_600_000],
    secretKey: SECRET_KEY,
    resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
    onDeliveryAttempt: () => attempted.resolve(),
  });
  const { token } = await engine.tokens.create({ accountId: account, name: "the shop" });
  const principal = await engine.authenticate(token);
  webhookSender.returnNext({ kind: "responded", status: 500, retryAfterMs: null, body: "" });
  const submit = (document: object): Promise<{ readonly id: string }> =>
    engine.batches.submit({ principal, document });
  const batch = await submit({ items: [{ url }], webhookUrl: `${url}hook` });
  engine.startWorker();
  await attempted.promise;
  await engine.close();
  return [batch.id];
}

/** Runs a command on both machines. */
async function runBoth(args: readonly string[]): Promise<readonly [local: Outcome, remote: Outcome]> {
  return [await service.run(args), await remote.run(args)];
}

const json = async (...args: string[]): Promise<unknown> => remote.json(args);

describe("a command with SNAP_ADMIN_URL", () => {
  it.each([
    ["accounts list"],
    ["accounts list --json"],
    ["accounts list --email ADA --json"],
    ["accounts list --plan none"],
    ["accounts list --limit 1 --json"],
    ["accounts list --limit 1"],
    ["accounts list --unverified"],
    ["accounts show ACCOUNT"],
    ["accounts show ada@EXAMPLE.com --json"],
    ["accounts delete ACCOUNT"],
    ["accounts delete ACCOUNT --purge --json"],
    ["tokens list --account ACCOUNT"],
    ["tokens list --account Ada@example.com --json"],
    ["tokens list --account ACCOUNT --expired"],
    ["tokens show 1"],
    ["tokens show 1 --json"],
    ["tokens reveal 1"],
    ["tokens reveal 1 --json"],
    ["batches list"],
    ["batches list --json"],
    ["batches list --status complete"],
    ["batches list --delivery due --json"],
    ["batches list --account ACCOUNT --limit 1 --json"],
    ["batches show BATCH"],
    ["batches show BATCH --json"],
  ])("has the same output as without it: %s", async (line) => {
    const args = line.replace("ACCOUNT", account).replace("BATCH", String(batches[0])).split(" ");
    const [local, elsewhere] = await runBoth(args);
    expect(local.code).toBe(0);
    expect({ code: elsewhere.code, stdout: elsewhere.stdout }).toEqual({ code: 0, stdout: local.stdout });
  });

  it.each([
    ["accounts show acct_0 --json"],
    ["accounts verify nobody@example.com --json"],
    ["accounts create --email ada@example.com --json"],
    ["accounts list --after acct_0 --json"],
    ["tokens list --account acct_0 --json"],
    ["tokens create --account acct_0 --json"],
    [`tokens create --account ACCOUNT --name ${"x".repeat(101)} --json`],
    ["tokens revoke 99 --json"],
    ["tokens rotate 99 --json"],
    ["tokens list --account ACCOUNT --after 99 --json"],
    ["batches show batch_0 --json"],
    ["batches redeliver batch_0 --json"],
    ["batches list --after batch_0 --json"],
  ])("fails with the same error code as without it: %s", async (line) => {
    const [local, elsewhere] = await runBoth(line.replace("ACCOUNT", account).split(" "));
    expect(local.code).toBe(1);
    const codeOf = ({ stderr }: Outcome): unknown =>
      (JSON.parse(stderr) as { error: { code: string } }).error.code;
    expect([elsewhere.code, elsewhere.stdout, codeOf(elsewhere)]).toEqual([1, "", codeOf(local)]);
  });

  it("exits when it is done", async () => {
    expect((await remote.start(["accounts", "list"]).ended).code).toBe(0);
  });

  it("creates, changes and deletes accounts and tokens", async () => {
    const { id } = (await json(
      "accounts",
      "create",
      "--email",
      "eve@example.com",
      "--unverified",
      "--credits",
      "5",
    )) as {
      id: string;
    };
    expect(await service.json(["accounts", "show", id])).toMatchObject({
      email: "eve@example.com",
      verified_at: null,
      credits_per_period: 5,
    });
    expect(await json("accounts", "update", id, "--plan", "growth", "--credits", "none")).toMatchObject({
      plan: "growth",
      credits_per_period: null,
    });
    expect((await remote.run(["accounts", "verify", id])).stdout).toBe("eve@example.com is verified.\n");
    expect(await json("accounts", "suspend", id)).toMatchObject({ suspended_at: expect.any(String) });
    expect((await remote.run(["accounts", "resume", id])).stdout).toBe(`Account ${id} is active.\n`);
    const token = (await json(
      "tokens",
      "create",
      "--account",
      id,
      "--name",
      "ci",
      "--ability",
      "pdf",
      "--expires-in",
      "30d",
    )) as MintedToken;
    expect(await service.json(["tokens", "show", String(token.id)])).toMatchObject({
      account_id: id,
      name: "ci",
      abilities: ["pdf"],
      expires_at: token.expires_at,
    });
    const rotated = (await json("tokens", "rotate", String(token.id), "--overlap", "1h")) as MintedToken;
    expect(rotated.token).not.toBe(token.token);
    expect(rotated.overlap_ends_at).not.toBeNull();
    const { stdout } = await remote.run(["tokens", "create", "--account", id]);
    expect(stdout).toContain(`'${String(remote.environment["SNAP_ADMIN_URL"])}/v1/snap?url=`);
    expect(await json("tokens", "revoke", String(token.id))).toEqual({ id: token.id, revoked: true });
    expect(await json("tokens", "revoke", "--all", "--account", id)).toMatchObject({ revoked: true });
    expect(await json("accounts", "delete", id, "--yes")).toMatchObject({ deleted: true, id });
    expect((await service.run(["accounts", "show", id])).code).toBe(1);
  });

  it("makes a webhook due again", async () => {
    const [id = ""] = batches;
    expect(await json("batches", "redeliver", id)).toMatchObject({ id, webhook: { status: "due" } });
    const { stdout } = await remote.run(["batches", "redeliver", id]);
    expect(stdout).toBe(
      `The webhook of ${id} is due again. Show its delivery: snap-server batches show ${id}\n`,
    );
  });

  it("is recorded in the service's audit log", async () => {
    await json("accounts", "verify", account);
    const entries = (await service.json(["audit"])) as readonly Record<string, unknown>[];
    expect(entries.at(-1)).toMatchObject({
      command: "accounts verify",
      subjects: [`account ${account}`],
      user: "admin token",
      host: "127.0.0.1",
    });
  });

  it.each([
    ["ledger verify"],
    ["audit"],
    ["renderings purge"],
    ["database upgrade"],
    ["backup x.tar"],
    ["restore x.tar"],
    ["secret-key replace"],
    ["console"],
    ["console --sign-out-all"],
  ])("fails if it needs the storage: %s", async (line) => {
    const { code, stdout, stderr } = await remote.run(line.split(" "));
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "error: this command needs direct access to the storage, but SNAP_ADMIN_URL is set; " +
        "unset SNAP_ADMIN_URL, and run the command where the service runs\n",
    });
  });

  it("fails if it is serve", async () => {
    const { code, stderr } = await remote.run(["serve"]);
    expect(code).toBe(2);
    expect(stderr).toContain('SNAP_ADMIN_URL is "http://127.0.0.1:');
    expect(stderr).toContain("is only for commands; unset it for serve");
  });

  it("requires the admin token", async () => {
    const without = await remote.run(["accounts", "list"], { SNAP_ADMIN_TOKEN: "" });
    expect(without).toMatchObject({
      code: 2,
      stderr:
        "error: SNAP_ADMIN_TOKEN: must be set together with SNAP_ADMIN_URL, to the SNAP_ADMIN_TOKEN of that service\n",
    });
    const wrong = await remote.run(["accounts", "list", "--json"], {
      SNAP_ADMIN_TOKEN: "another-token-than-theirs",
    });
    expect(wrong.code).toBe(1);
    expect(JSON.parse(wrong.stderr)).toEqual({
      error: {
        code: "admin_token_rejected",
        message: `${String(remote.environment["SNAP_ADMIN_URL"])} rejects SNAP_ADMIN_TOKEN`,
        advice: "set it to the SNAP_ADMIN_TOKEN of the service",
      },
    });
    expect(wrong.stderr).not.toContain("another-token-than-theirs");
  });

  it("reports an unreachable service, an unexpected response and a missing admin API", async () => {
    const explain = async (address: string): Promise<unknown> => {
      const { code, stderr } = await remote.run(["accounts", "show", "acct_0", "--json"], {
        SNAP_ADMIN_URL: address,
      });
      expect(code).toBe(1);
      return (JSON.parse(stderr) as { error: unknown }).error;
    };
    expect(await explain(`http://127.0.0.1:${await findFreePort()}`)).toMatchObject({
      code: "admin_api_unreachable",
      message: expect.stringContaining("cannot be reached: "),
    });
    const other = createServer((_request, response) => response.writeHead(502).end("<h1>Bad gateway</h1>"));
    expect(await explain(`http://127.0.0.1:${await listen(other)}`)).toMatchObject({
      code: "admin_api_unreachable",
      message: expect.stringContaining("responds with status 502"),
    });
    const website = createServer((_request, response) => response.end("<!doctype html>"));
    const websitePort = await listen(website);
    expect(await explain(`http://127.0.0.1:${websitePort}`)).toMatchObject({
      code: "admin_api_unreachable",
      message: `http://127.0.0.1:${websitePort} does not serve an admin API`,
    });
    const silent = openWorkspace({
      ...service.environment,
      SNAP_PORT: String(await findFreePort()),
    });
    const server = silent.start(["serve"], { SNAP_DATA_DIR: join(silent.directory, "data") });
    await server.whenPrinted(/"msg":"listening"/);
    expect(await explain(`http://127.0.0.1:${String(silent.environment["SNAP_PORT"])}`)).toMatchObject({
      code: "admin_api_unreachable",
      message: expect.stringContaining("does not serve an admin API"),
    });
    await silent.cleanUp();
  });

  it.each([
    [200, "{}", "tokens revoke 1"],
    [200, "{}", "accounts list"],
    [200, "null", "accounts create --email eve@example.com"],
    [404, "null", "accounts show acct_0"],
  ])("reports status %s with the body %s as an unexpected response: %s", async (status, body, line) => {
    const other = createServer((_request, response) => response.writeHead(status).end(body));
    const { code, stderr } = await remote.run([...line.split(" "), "--json"], {
      SNAP_ADMIN_URL: `http://127.0.0.1:${await listen(other)}`,
    });
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "admin_api_unreachable" } });
  });

  it("reports a service without TLS", async () => {
    const address = `https://127.0.0.1:${await listen(createServer())}`;
    const call = callRemote({ url: address, token: "t" }, { path: "/session" });
    await expect(call).rejects.toMatchObject({
      code: "admin_api_unreachable",
      problem: `${address} cannot be reached: no TLS on this port`,
    });
  });

  it("says that a change may still be made if the service does not respond in time", async () => {
    const late = new DOMException("The operation was aborted due to timeout", "TimeoutError");
    const request = vi.spyOn(globalThis, "fetch").mockRejectedValueOnce(late);
    onTestFinished(() => request.mockRestore());
    const call = callRemote(
      { url: "http://snap", token: "t" },
      { method: "DELETE", path: "/accounts/acct_0" },
    );
    await expect(call).rejects.toMatchObject({
      code: "admin_api_unreachable",
      problem: "http://snap did not respond within 120 s; it may still carry out the request",
      advice: "check the service's log, then repeat the command",
    });
  });

  it.each(["<!doctype html>", "{}", "null", '{"version":"1","problems":3}'])(
    "as doctor, reports a service that responds with %s",
    async (body) => {
      const port = await listen(createServer((_request, response) => response.end(body)));
      const { stdout } = await remote.run(["doctor", "--json"], {
        SNAP_ADMIN_URL: `http://127.0.0.1:${port}`,
        SNAP_CHROMIUM_PATH: "/none",
      });
      const { checks } = JSON.parse(stdout) as { checks: readonly Record<string, unknown>[] };
      expect(checks).toContainEqual(
        expect.objectContaining({ status: "problem", code: "admin_api_unreachable" }),
      );
      expect(checks.some(({ name }) => name === "fonts")).toBe(true);
    },
  );

  it("as doctor, reports the service's problems", async () => {
    const { stdout } = await remote.run(["doctor", "--json"], { SNAP_CHROMIUM_PATH: "/none" });
    const { checks } = JSON.parse(stdout) as { checks: readonly Record<string, unknown>[] };
    expect(checks).toContainEqual({
      name: "admin API",
      status: "ok",
      code: "ok",
      message: `${String(remote.environment["SNAP_ADMIN_URL"])} responds, version 0.0.0`,
    });
    expect(checks).toContainEqual(expect.objectContaining({ status: "warning", code: "backup_missing" }));
    expect(checks.some(({ name }) => name === "storage")).toBe(false);
  });
});
