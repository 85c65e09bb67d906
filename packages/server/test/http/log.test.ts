import { SnapError } from "@snap/engine";
import { expect, it } from "vitest";
import { openService } from "./open-service.ts";

const url = "https://example.com/";

it("logs one line per request, without secrets", async () => {
  const { snap, customer, lines } = await openService();
  const { id, token } = await customer();
  const { headers } = await snap({ url: `${url}?key=topsecret`, cacheTtl: "60" }, { token });
  await snap({ url, signature: "f00d" }, { token });
  const requests = lines.filter(({ msg }) => msg === "request");
  expect(requests).toEqual([
    {
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      msg: "request",
      request_id: headers["x-request-id"],
      method: "GET",
      path: "/v1/snap",
      status: 200,
      duration_ms: expect.any(Number),
      account: id,
      cache: "miss",
    },
    expect.objectContaining({ status: 422, code: "validation_failed", account: id }),
  ]);
  const text = JSON.stringify(lines);
  for (const secret of [token, token.split("|")[1] ?? "", "topsecret", "f00d"])
    expect(text).not.toContain(secret);
});

it("shortens a long path", async () => {
  const { send, lines } = await openService();
  for (const length of [256, 257, 60_000]) await send(`/${"a".repeat(length - 1)}`);
  const paths = lines.filter(({ msg }) => msg === "request").map(({ path }) => path);
  expect(paths).toEqual([`/${"a".repeat(255)}`, `/${"a".repeat(255)}…`, `/${"a".repeat(255)}…`]);
});

it("logs detail and stack of an internal error", async () => {
  const { snap, customer, renderer, lines } = await openService();
  const { token } = await customer();
  const cause = new Error("the pipe broke");
  renderer.failNext(new SnapError("upstream_error", "for the caller", { detail: "for the operator", cause }));
  await snap({ url }, { token });
  expect(lines.find(({ msg }) => msg === "request")).toMatchObject({
    level: "error",
    status: 502,
    code: "upstream_error",
    detail: "for the operator",
    err: { type: "Error", message: "the pipe broke", stack: expect.stringContaining("log.test.ts") },
  });
});

it.each([
  ["render_failed", 500],
  ["upstream_rate_limited", 503],
] as const)("logs %s, caused by the page or the load, at level info", async (code, status) => {
  const { snap, customer, renderer, lines } = await openService();
  const { token } = await customer();
  renderer.failNext(new SnapError(code, "for the caller", { detail: "a detail" }));
  await snap({ url }, { token });
  const line = lines.find(({ msg }) => msg === "request");
  expect(line).toMatchObject({ level: "info", status, code, detail: "a detail" });
  expect(line).not.toHaveProperty("err");
});

it("logs a malformed request", async () => {
  const { sendRaw, lines } = await openService();
  const text = await sendRaw("noise\r\n\r\n");
  const line = lines.find(({ msg }) => msg === "refused");
  expect(line).toMatchObject({ status: 400, code: "bad_request", detail: expect.stringContaining("HPE_") });
  expect(text).toContain(String(line?.["request_id"]));
});
