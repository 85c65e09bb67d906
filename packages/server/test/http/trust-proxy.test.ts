import { describe, expect, it } from "vitest";
import { envelopeOf, openService, UUID, type OpenOptions } from "./open-service.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const FORWARDED = {
  "x-forwarded-for": "198.51.100.7",
  "x-request-id": "edge-1:a/b=c@d+e.f_g",
  traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01`,
};

async function sendTo(
  options: OpenOptions,
  headers: Record<string, string>,
): Promise<{ readonly id: unknown; readonly line: Record<string, unknown> | undefined }> {
  const { send, lines } = await openService(options);
  const reply = await send("/v1/usage", { headers });
  expect(envelopeOf(reply).request_id).toBe(reply.headers["x-request-id"]);
  const line = lines.at(-1);
  expect(line?.["request_id"]).toBe(reply.headers["x-request-id"]);
  return { id: reply.headers["x-request-id"], line };
}

describe("a proxy's headers", () => {
  it.each([
    ["one proxy", 1],
    ["the loopback range", ["loopback"]],
    ["a block of addresses", ["10.0.0.0/8", "127.0.0.0/8"]],
  ])("are trusted from %s", async (_, trustProxy) => {
    const { id, line } = await sendTo({ trustProxy }, FORWARDED);
    expect(id).toBe("edge-1:a/b=c@d+e.f_g");
    expect(line).toMatchObject({ client: "198.51.100.7", trace_id: TRACE_ID });
  });

  it.each<[string, OpenOptions]>([
    ["by default", {}],
    ["from another address", { trustProxy: ["10.0.0.0/8"] }],
  ])("are ignored %s", async (_, options) => {
    const { id, line } = await sendTo(options, FORWARDED);
    expect(id).toMatch(UUID);
    expect(line).toMatchObject({ client: "127.0.0.1" });
    expect(line).not.toHaveProperty("trace_id");
  });
});

describe("readCaller", () => {
  it("uses the last forwarded address that is not a trusted proxy as the client's", async () => {
    const sent = { "x-forwarded-for": "203.0.113.9, 198.51.100.7, 10.1.2.3" };
    const { line } = await sendTo({ trustProxy: ["loopback", "10.0.0.0/8"] }, sent);
    expect(line).toMatchObject({ client: "198.51.100.7" });
  });

  it.each(["", "a".repeat(129), "two words", "a,b", "naïve", '"quoted"', "<b>"])(
    "ignores an invalid request id: %j",
    async (requestId) => {
      const { id } = await sendTo({ trustProxy: 1 }, { "x-request-id": requestId });
      expect(id).toMatch(UUID);
    },
  );

  it.each([
    `ff-${TRACE_ID}-00f067aa0ba902b7-01`,
    `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
    `00-${TRACE_ID}-${"0".repeat(16)}-01`,
    `00-${TRACE_ID.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${TRACE_ID}-00f067aa0ba902b7`,
    "none",
  ])("ignores an invalid traceparent: %s", async (traceparent) => {
    const { line } = await sendTo({ trustProxy: 1 }, { traceparent });
    expect(line).not.toHaveProperty("trace_id");
  });

  it("accepts a traceparent of a later version", async () => {
    const { line } = await sendTo(
      { trustProxy: 1 },
      { traceparent: `01-${TRACE_ID}-00f067aa0ba902b7-01-more` },
    );
    expect(line).toMatchObject({ trace_id: TRACE_ID });
  });

  it("truncates the address in the log if it is too long", async () => {
    const { line } = await sendTo({ trustProxy: 1 }, { "x-forwarded-for": "x".repeat(5_000) });
    expect(line).toMatchObject({ client: `${"x".repeat(64)}…` });
  });
});
