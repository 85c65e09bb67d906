import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { runInNewContext } from "node:vm";
import type { RenderBatch } from "@snap/protocol";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  isWebhookError,
  type RawBody,
  verifyWebhook,
  type VerifyWebhookOptions,
  WebhookError,
  type WebhookHeaders,
} from "../../src/webhooks/index.ts";
import { BATCH, deliver, OLD_SECRET, SECRET, signWithOpenssl } from "./delivery.ts";

const NOW_SECONDS = 1_767_225_610;
const NOW = { now: NOW_SECONDS * 1000 };
const VALID_DELIVERY = deliver({ timestamp: String(NOW_SECONDS) });

/** Returns the code of the thrown error, or "verified". */
function outcomeOf(verify: () => RenderBatch): string {
  try {
    verify();
    return "verified";
  } catch (error) {
    if (!isWebhookError(error)) throw error;
    return error.code;
  }
}

interface Overrides {
  readonly body?: unknown;
  readonly headers?: WebhookHeaders;
  readonly secret?: unknown;
  readonly options?: VerifyWebhookOptions;
}

/** Verifies a valid delivery with some parts replaced, possibly by values of the wrong type. */
function attempt(overrides: Overrides): string {
  const { body, headers, secret, options } = {
    body: VALID_DELIVERY.body,
    headers: VALID_DELIVERY.headers,
    secret: SECRET,
    options: {},
    ...overrides,
  };
  return outcomeOf(() => verifyWebhook(body as RawBody, headers, secret as string, { ...NOW, ...options }));
}

const withHeader = (name: string, value: string | string[] | undefined): WebhookHeaders => ({
  ...VALID_DELIVERY.headers,
  [name]: value,
});

describe("a valid delivery", () => {
  it("returns its batch", () => {
    const batch = verifyWebhook(VALID_DELIVERY.body, VALID_DELIVERY.headers, SECRET, NOW);
    expect(batch).toEqual(BATCH);
    expectTypeOf(batch).toEqualTypeOf<RenderBatch>();
  });

  it("is accepted with a signature from openssl", { tags: ["openssl"] }, () => {
    const signature = signWithOpenssl(String(NOW_SECONDS), VALID_DELIVERY.body);
    expect(signature).toMatch(/^[0-9a-f]{64}$/);
    expect(attempt({ headers: withHeader("X-Webhook-Signature", signature) })).toBe("verified");
  });

  it("is checked against the current time by default", () => {
    const { body, headers } = deliver();
    expect(verifyWebhook(body, headers, SECRET)).toEqual(BATCH);
  });

  it.each<[string, unknown]>([
    ["a Buffer", VALID_DELIVERY.body],
    ["a string", VALID_DELIVERY.body.toString()],
    ["a Uint8Array", new Uint8Array(VALID_DELIVERY.body)],
    ["an ArrayBuffer", new Uint8Array(VALID_DELIVERY.body).buffer],
    [
      "a view of a larger buffer",
      Buffer.concat([Buffer.of(1), VALID_DELIVERY.body, Buffer.of(2)]).subarray(1, -1),
    ],
    [
      "a Uint8Array from another realm",
      runInNewContext("Uint8Array.from(bytes)", { bytes: VALID_DELIVERY.body }),
    ],
    [
      "an ArrayBuffer from another realm",
      runInNewContext("Uint8Array.from(bytes).buffer", { bytes: VALID_DELIVERY.body }),
    ],
  ])("can have %s as its body", (_, body) => {
    expect(attempt({ body })).toBe("verified");
  });

  const entries = Object.entries(VALID_DELIVERY.headers);
  it.each<[string, WebhookHeaders]>([
    ["in a web Headers object", new Headers(VALID_DELIVERY.headers)],
    [
      "in lower case, as node:http has them",
      Object.fromEntries(entries.map(([k, v]) => [k.toLowerCase(), v])),
    ],
    ["in upper case", Object.fromEntries(entries.map(([k, v]) => [k.toUpperCase(), v]))],
    ["in lists of one", Object.fromEntries(entries.map(([k, v]) => [k, [v]]))],
    [
      "among others",
      { get: "a header of that name", host: undefined, cookie: ["a", "b"], ...VALID_DELIVERY.headers },
    ],
  ])("can have its headers %s", (_, headers) => {
    expect(attempt({ headers })).toBe("verified");
  });

  it("can have members and statuses that are newer than this package", () => {
    const [item] = BATCH.items;
    const newer = { ...BATCH, region: "eu", items: [{ ...item, status: "paused", note: 1 }] };
    const { body, headers } = deliver({ body: JSON.stringify(newer) });
    expect(verifyWebhook(body, headers, SECRET)).toEqual(newer);
  });
});

describe("secrets", () => {
  it.each([
    ["the new one first", [SECRET, OLD_SECRET]],
    ["the new one last", [OLD_SECRET, "older", SECRET]],
    ["only one in a list", [SECRET]],
  ])("can be a list, as during a rotation: %s", (_, secret) => {
    expect(attempt({ secret })).toBe("verified");
  });

  it("are rejected if they do not match", () => {
    expect(attempt({ secret: [OLD_SECRET, "older"] })).toBe("invalid_signature");
    expect(attempt({ secret: `${SECRET} ` })).toBe("invalid_signature");
  });

  it.each([[""], [[]], [[SECRET, ""]], [undefined], [null], [[undefined]], [42], [Buffer.from(SECRET)]])(
    "are rejected as misconfigured: %j",
    (secret) => {
      expect(attempt({ secret })).toBe("misconfigured");
    },
  );
});

describe("headers", () => {
  it.each(["X-Webhook-Id", "X-Webhook-Timestamp", "X-Webhook-Signature"])(
    "are each required exactly once: %s",
    (name) => {
      const value = VALID_DELIVERY.headers[name] ?? "";
      expect(attempt({ headers: withHeader(name, undefined) })).toBe("missing_header");
      expect(attempt({ headers: withHeader(name, []) })).toBe("missing_header");
      expect(attempt({ headers: withHeader(name, [value, value]) })).toBe("missing_header");
      expect(attempt({ headers: withHeader(name.toLowerCase(), value) })).toBe("missing_header");
      const twice = new Headers(VALID_DELIVERY.headers);
      twice.append(name, value);
      expect(attempt({ headers: twice })).not.toBe("verified");
      twice.delete(name);
      expect(attempt({ headers: twice })).toBe("missing_header");
    },
  );

  it("are not read from an object's prototype", () => {
    expect(attempt({ headers: Object.create(VALID_DELIVERY.headers) as Record<string, string> })).toBe(
      "missing_header",
    );
  });

  it("must contain the batch's id", () => {
    expect(attempt({ headers: withHeader("X-Webhook-Id", "b2") })).toBe("invalid_signature");
    expect(attempt({ headers: withHeader("X-Webhook-Id", "") })).toBe("invalid_signature");
  });

  it("are named in the error if missing", () => {
    expect(() => verifyWebhook(VALID_DELIVERY.body, {}, SECRET, NOW)).toThrow("X-Webhook-Id is missing");
  });
});

describe("the timestamp", () => {
  // each delivery is signed with this timestamp, so only its format is invalid
  it.each([
    "",
    " ",
    "0x10",
    "1e9",
    " 1767225610",
    "1767225610 ",
    "1767225610\n",
    "+1767225610",
    "-1767225610",
    "1767225610.0",
    "1_767_225_610",
    "1767225610n",
    "１７６７２２５６１０",
    "١٧٦٧٢٢٥٦١٠",
    "1767225610, 1767225610",
    "2026-01-01T00:00:10Z",
    "1767225610000",
    "NaN",
    "Infinity",
    "null",
  ])("must be Unix seconds in decimal digits, not %j", (timestamp) => {
    const { body, headers } = deliver({ timestamp });
    expect(attempt({ body, headers, options: { toleranceSeconds: 1e15 } })).toBe("invalid_timestamp");
  });

  it.each<[string, string, VerifyWebhookOptions]>([
    ["verified", "5 minutes ago", { now: (NOW_SECONDS + 300) * 1000 }],
    [
      "timestamp_out_of_tolerance",
      "5 minutes and a millisecond ago",
      { now: (NOW_SECONDS + 300) * 1000 + 1 },
    ],
    ["verified", "in 5 minutes", { now: (NOW_SECONDS - 300) * 1000 }],
    ["timestamp_out_of_tolerance", "in 5 minutes and a millisecond", { now: (NOW_SECONDS - 300) * 1000 - 1 }],
    ["verified", "now, as a Date", { now: new Date(NOW_SECONDS * 1000) }],
    ["timestamp_out_of_tolerance", "in 1970, as a Date", { now: new Date(0) }],
    ["verified", "now, tolerance 0", { toleranceSeconds: 0 }],
    ["timestamp_out_of_tolerance", "a second ago, tolerance 0", { toleranceSeconds: 0, now: NOW.now + 1000 }],
    ["verified", "an hour ago, tolerance an hour", { toleranceSeconds: 3600, now: NOW.now + 3_600_000 }],
    [
      "timestamp_out_of_tolerance",
      "6 minutes ago, by default",
      { now: NOW.now + 360_000, toleranceSeconds: undefined },
    ],
    ["misconfigured", "an infinite tolerance", { toleranceSeconds: Infinity }],
    ["misconfigured", "a tolerance that is not a number", { toleranceSeconds: NaN }],
    ["misconfigured", "a negative tolerance", { toleranceSeconds: -1 }],
    ["misconfigured", "a negative infinite tolerance", { toleranceSeconds: -Infinity }],
    ["misconfigured", "a tolerance as a string", { toleranceSeconds: "300" as unknown as number }],
    ["misconfigured", "a null tolerance", { toleranceSeconds: null as unknown as number }],
    ["misconfigured", "an invalid Date", { now: new Date("never") }],
    ["misconfigured", "a time that is not a number", { now: NaN }],
    ["misconfigured", "an infinite time", { now: Infinity }],
  ])("results in %s: %s", (outcome, _, options) => {
    expect(attempt({ options })).toBe(outcome);
  });

  it("is checked after the signature, so a forged delivery reveals nothing about the clock", () => {
    const headers = withHeader("X-Webhook-Timestamp", "1");
    expect(attempt({ headers })).toBe("invalid_signature");
  });
});

describe("the signature", () => {
  const signature = VALID_DELIVERY.headers["X-Webhook-Signature"] ?? "";
  it.each([
    ["empty", ""],
    ["in upper case", signature.toUpperCase()],
    ["too short", signature.slice(0, 63)],
    ["too long", `${signature}0`],
    ["with a newline", `${signature}\n`],
    ["with a space", ` ${signature}`],
    ["with a version prefix", `v1,${signature}`],
    ["full-width digits", "０".repeat(64)],
    ["zeros", "0".repeat(64)],
    [
      "made for an empty body",
      deliver({ body: "", timestamp: String(NOW_SECONDS) }).headers["X-Webhook-Signature"] ?? "",
    ],
    [
      "made for another second",
      deliver({ timestamp: String(NOW_SECONDS + 1) }).headers["X-Webhook-Signature"] ?? "",
    ],
  ])("is rejected without a specific reason: %s", (_, other) => {
    const headers = withHeader("X-Webhook-Signature", other);
    expect(attempt({ headers })).toBe("invalid_signature");
    expect(() => verifyWebhook(VALID_DELIVERY.body, headers, SECRET, NOW)).toThrow("Invalid signature");
  });

  it("covers every byte of the body", () => {
    const position = fc.nat(VALID_DELIVERY.body.length - 1);
    fc.assert(
      fc.property(position, fc.integer({ min: 1, max: 255 }), (index, change) => {
        const body = Buffer.from(VALID_DELIVERY.body);
        body[index] = (body[index] ?? 0) ^ change;
        expect(attempt({ body })).toBe("invalid_signature");
      }),
    );
  });

  it("covers the length of the body", () => {
    fc.assert(
      fc.property(
        fc.nat(VALID_DELIVERY.body.length - 1),
        fc.uint8Array({ minLength: 1 }),
        (length, added) => {
          expect(attempt({ body: VALID_DELIVERY.body.subarray(0, length) })).toBe("invalid_signature");
          expect(attempt({ body: Buffer.concat([VALID_DELIVERY.body, added]) })).toBe("invalid_signature");
          expect(attempt({ body: Buffer.concat([added, VALID_DELIVERY.body]) })).toBe("invalid_signature");
        },
      ),
    );
  });

  it.each(["X-Webhook-Timestamp", "X-Webhook-Signature"])(
    "does not match if one character of %s changes",
    (name) => {
      const value = VALID_DELIVERY.headers[name] ?? "";
      const character = fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 1 });
      fc.assert(
        fc.property(fc.nat(value.length - 1), character, (index, other) => {
          fc.pre(value[index] !== other);
          const headers = withHeader(name, value.slice(0, index) + other + value.slice(index + 1));
          expect(["invalid_signature", "invalid_timestamp"]).toContain(attempt({ headers }));
        }),
      );
    },
  );
});

describe("the body", () => {
  it.each<[string, unknown]>([
    ["a parsed object", BATCH],
    ["a list", [1, 2]],
    ["undefined, because no parser ran", undefined],
    ["null", null],
    ["a promise that was not awaited", Promise.resolve("{}")],
    ["a stream", new Response("{}").body],
    ["a number", 1],
    ["a Buffer serialized as JSON", VALID_DELIVERY.body.toJSON()],
  ])("is rejected with a hint about what to pass instead: %s", (_, body) => {
    expect(attempt({ body })).toBe("raw_body_needed");
    expect(() => verifyWebhook(body as RawBody, VALID_DELIVERY.headers, SECRET, NOW)).toThrow(
      /express\.raw\(\{ type: "application\/json", limit: "1mb" \}\).* before express\.json\(\).*await request\.text\(\)/,
    );
  });

  const [item] = BATCH.items;
  it.each<[string, string | Buffer]>([
    ["empty", ""],
    ["not JSON", "id=b1"],
    ["incomplete JSON", '{"id":"b1"'],
    ["not UTF-8", Buffer.from(JSON.stringify({ ...BATCH, items: [], note: "\u00ff" }), "latin1")],
    ["null", "null"],
    ["a string", '"b1"'],
    ["a list", "[]"],
    ["an error envelope", '{"code":"server_error","message":"","request_id":""}'],
    ["a batch without items", JSON.stringify({ ...BATCH, items: undefined })],
    ["a batch whose id is a number", JSON.stringify({ ...BATCH, id: 1 })],
    ["a batch without a status", JSON.stringify({ ...BATCH, status: undefined })],
    ["a batch with an item that is null", JSON.stringify({ ...BATCH, items: [null] })],
    [
      "a batch with an item without a URL",
      JSON.stringify({ ...BATCH, items: [{ ...item, url: undefined }] }),
    ],
  ])("is rejected even if it is signed: %s", (_, body) => {
    expect(attempt(deliver({ body, timestamp: String(NOW_SECONDS) }))).toBe("invalid_body");
  });

  it("is not decompressed", () => {
    const gzip = Buffer.from("1f8b0800000000000003", "hex");
    expect(attempt(deliver({ body: gzip, timestamp: String(NOW_SECONDS) }))).toBe("invalid_body");
  });
});

describe("the published vectors", () => {
  interface Vector extends Record<
    "name" | "signing_secret" | "id" | "timestamp" | "body_base64" | "signature",
    string
  > {}
  const path = createRequire(import.meta.url).resolve("@snap/protocol/vectors/webhooks.json");
  const { cases } = JSON.parse(readFileSync(path, "utf8")) as { cases: Vector[] };

  // most bodies are not batches, but the signature is checked first
  it.each(cases)(
    "have valid signatures: $name",
    ({ signing_secret, id, timestamp, body_base64, signature }) => {
      const headers = {
        "X-Webhook-Id": id,
        "X-Webhook-Timestamp": timestamp,
        "X-Webhook-Signature": signature,
      };
      const body = Buffer.from(body_base64, "base64");
      const options = { now: Number(timestamp) * 1000 };
      expect(["verified", "invalid_body"]).toContain(
        attempt({ body, headers, secret: signing_secret, options }),
      );
      expect(attempt({ body, headers, secret: `${signing_secret}x`, options })).toBe("invalid_signature");
    },
  );
});

describe("WebhookError", () => {
  it("has a name, a code and a cause", () => {
    const error = new WebhookError("invalid_body", "not JSON", { cause: "why" });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: "WebhookError",
      code: "invalid_body",
      message: "not JSON",
      cause: "why",
    });
    expect(isWebhookError(error)).toBe(true);
    expect(isWebhookError(new Error("other"))).toBe(false);
  });

  it("never contains the secret or the body", () => {
    const errors = [{ body: "plain text" }, { secret: OLD_SECRET }, { timestamp: "1" }].map((fault) => {
      const { body, headers } = deliver({ timestamp: String(NOW_SECONDS), ...fault });
      try {
        return verifyWebhook(body, headers, SECRET, NOW);
      } catch (error) {
        return error;
      }
    });
    for (const error of errors) {
      expect(error).toBeInstanceOf(WebhookError);
      expect(String((error as Error).stack)).not.toMatch(/s3cret|plain text|例え/);
    }
  });
});
