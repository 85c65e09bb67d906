import { describe, expect, it } from "vitest";
import { batchOf, submit } from "../http/batches.ts";
import { envelopeOf } from "../http/open-service.ts";
import { openAdmin, postCode, signIn, type AdminRequest, type AdminTestService } from "./open-admin.ts";

const EMAIL = "ada@example.com";

async function audit({ engine }: AdminTestService): Promise<readonly (readonly unknown[])[]> {
  const entries = await engine.audit.list({ withinMs: Infinity });
  return entries.map(({ command, subjects, user, host }) => [command, subjects.toSorted(), user, host]);
}

describe("the audit log", () => {
  it("records each change in the console under the name of the equivalent command", async () => {
    const service = await openAdmin();
    const browser = await signIn(service);
    const post = async (path: string, request: AdminRequest = {}): Promise<unknown> => {
      const reply = await browser.send(path, { method: "POST", ...request });
      expect([path, reply.status < 300]).toEqual([path, true]);
      return reply.body.length === 0 ? null : JSON.parse(reply.body.toString());
    };
    const { id } = (await post("/accounts", { json: { email: EMAIL, verified: false } })) as { id: string };
    await post(`/accounts/${id}/verify`);
    await post(`/accounts/${id}`, { method: "PATCH", json: { plan: "starter" } });
    const { token } = (await post("/tokens", { json: { account_id: id } })) as { token: string };
    await post("/tokens/1/reveal");
    await post("/tokens/1/rotate", { json: { overlap_seconds: 3600 } });
    const batch = batchOf(await submit(service, { items: [{ url: "https://example.com/" }] }, { token }));
    await post(`/accounts/${id}/suspend`);
    await post(`/accounts/${id}/resume`);
    for (const path of [
      "/accounts",
      `/accounts/${id}`,
      "/tokens/1",
      `/batches/${batch.id}`,
      "/health",
      "/usage",
    ])
      await post(path, { method: "GET" });
    await post(`/accounts/${id}?dry_run=true`, { method: "DELETE" });
    await post("/tokens/1", { method: "DELETE" });
    await post(`/accounts/${id}`, { method: "DELETE" });
    await post("/sign-in", { method: "DELETE" });
    const account = `account ${id}`;
    const both = [account, "token 1"];
    expect(await audit(service)).toEqual(
      [
        ["sign-in", []],
        ["accounts create", [account]],
        ["accounts verify", [account]],
        ["accounts update", [account]],
        ["tokens create", both],
        ["tokens reveal", both],
        ["tokens rotate", both],
        ["accounts suspend", [account]],
        ["accounts resume", [account]],
        ["tokens revoke", both],
        ["accounts delete", [account]],
        ["sign-out", []],
      ].map(([command, subjects]) => [command, subjects, "console", "127.0.0.1"]),
    );
  });

  it("names the user `admin token`, and the client behind a trusted proxy", async () => {
    const service = await openAdmin({ trustProxy: 1 });
    const headers = { "X-Forwarded-For": "203.0.113.7" };
    await service.read("/accounts", { method: "POST", json: { email: EMAIL }, headers });
    expect(await audit(service)).toEqual([
      ["accounts create", [expect.stringMatching(/^account acct_/)], "admin token", "203.0.113.7"],
    ]);
    expect(service.lines).toContainEqual(
      expect.objectContaining({
        msg: "audit",
        level: "info",
        command: "accounts create",
        user: "admin token",
        host: "203.0.113.7",
        request_id: expect.any(String),
      }),
    );
  });

  it("does not record rejected requests", async () => {
    const service = await openAdmin();
    await service.customer();
    await postCode(service, "wrong");
    for (const [path, request] of [
      ["/accounts", { method: "POST", json: { email: "x" } }],
      ["/accounts", { method: "POST", json: { email: EMAIL, plan: "gold" } }],
      ["/accounts/acct_0/verify", { method: "POST" }],
      ["/tokens/9", { method: "DELETE" }],
      ["/deliveries", { method: "POST", json: { batch_id: "batch_0" } }],
      ["/accounts", { method: "POST", token: "wrong", json: { email: EMAIL } }],
    ] as const)
      expect((await service.admin(path, request)).status).toBeGreaterThanOrEqual(400);
    expect(await audit(service)).toEqual([]);
  });

  it("reports a change that was made but not recorded", async () => {
    const service = await openAdmin();
    Object.assign(service.embedded.audit, { append: () => Promise.reject(new Error("no room")) });
    const reply = await service.admin("/accounts", { method: "POST", json: { email: EMAIL } });
    expect([reply.status, envelopeOf(reply).code]).toEqual([500, "server_error"]);
    expect(await service.engine.accounts.list()).toHaveLength(1);
    expect(service.lines).toContainEqual(
      expect.objectContaining({ detail: expect.stringContaining("not added to the audit log: no room") }),
    );
  });
});

describe("the log", () => {
  it("contains each request's path and operator, but no secrets or successful health checks", async () => {
    const service = await openAdmin({ metrics: true });
    const { code } = await service.engine.operators.createLink();
    await postCode(service, code);
    const browser = await signIn(service);
    const { id: account } = await service.customer();
    const secrets = [
      code,
      browser.cookie.split("=")[1] ?? "",
      "an-admin-token-for-tests",
      "wrong-token-for-admins",
    ];
    await browser.send(`/accounts/${account}?code=${code}`);
    await browser.send("/tokens/1/reveal", { method: "POST" });
    await service.read("/usage?from=2026-01-01");
    await service.admin("/health", { token: "wrong-token-for-admins" });
    await service.read("/health");
    const revealed = await service.engine.tokens.reveal(1);
    expect(service.lines).toContainEqual(
      expect.objectContaining({ path: "/admin/v1/usage", operator: "admin token", status: 200 }),
    );
    expect(service.lines).toContainEqual(
      expect.objectContaining({ path: "/admin/v1/tokens/1/reveal", operator: "console", status: 200 }),
    );
    // successful health checks are not logged, because the console polls
    const health = service.lines.filter(({ path }) => path === "/admin/v1/health");
    expect(health.map(({ status }) => status)).toEqual([401]);
    for (const secret of [...secrets, revealed.signingSecret]) expect(service.text()).not.toContain(secret);
    const metrics = (await service.send("/metrics")).body.toString();
    expect(metrics).toMatch(
      /^snap_http_requests_total{route="\/admin\/v1\/accounts\/{id}",status="422".*} 1$/m,
    );
    expect(metrics).toMatch(
      /^snap_http_requests_total{route="\/admin\/v1\/sign-in",status="204",code=""} 2$/m,
    );
    expect(metrics).not.toMatch(/route="unmatched",status="(?!500)/);
    for (const secret of [...secrets, account]) expect(metrics).not.toContain(secret);
  });
});
