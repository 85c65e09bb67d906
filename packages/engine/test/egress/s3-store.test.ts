import { createFakeResolver } from "@snap/testing";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listen } from "../../../testing/test/servers/listen.ts";
import {
  openObjectStore,
  signatureOf,
  STORE_CREDENTIALS,
  type ObjectStoreServer,
  type StoreFault,
} from "../../../testing/test/servers/object-store.ts";
import { createS3Store, type S3StoreOptions } from "../../src/egress/s3-store.ts";

let server: ObjectStoreServer;
beforeAll(async () => {
  server = await openObjectStore();
});
afterAll(() => server.close());
beforeEach(() => server.clear());

const open = (options: Partial<S3StoreOptions> = {}): ReturnType<typeof createS3Store> =>
  createS3Store({ endpoint: server.origin, ...STORE_CREDENTIALS, ...options });

function put(
  key: string,
  { content = "content", ...options }: Partial<S3StoreOptions> & { readonly content?: string | Buffer } = {},
): ReturnType<ReturnType<typeof createS3Store>["put"]> {
  const bytes = Buffer.from(content);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return open(options).put({ key, bytes, sha256, contentType: "image/png" });
}

describe("the loopback store", () => {
  it("computes the signature of the example in the Amazon S3 API reference", () => {
    const signature = signatureOf({
      method: "PUT",
      path: "/test%24file.text",
      headers: [
        ["date", "Fri, 24 May 2013 00:00:00 GMT"],
        ["host", "examplebucket.s3.amazonaws.com"],
        ["x-amz-content-sha256", "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"],
        ["x-amz-date", "20130524T000000Z"],
        ["x-amz-storage-class", "REDUCED_REDUNDANCY"],
      ],
      digest: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
      date: "20130524T000000Z",
      region: "us-east-1",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    });
    expect(signature).toBe("98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
  });
});

describe("createS3Store", () => {
  it("stores the bytes under the key, with the content type", async () => {
    const content = Buffer.alloc(3_000_000, "0123456789");
    expect(await put("a/b.png", { content })).toEqual({ location: "s3://renderings/a/b.png" });
    expect(server.objects.get("a/b.png")).toEqual({ bytes: content, contentType: "image/png" });
  });

  it("puts nothing before the key if the prefix is empty", async () => {
    expect(await put("b.png", { prefix: "" })).toEqual({ location: "s3://renderings/b.png" });
    expect([...server.objects.keys()]).toEqual(["b.png"]);
  });

  it("puts the prefix before the key", async () => {
    expect(await put("b.png", { prefix: "snap/2026" })).toEqual({
      location: "s3://renderings/snap/2026/b.png",
    });
    expect([...server.objects.keys()]).toEqual(["snap/2026/b.png"]);
  });

  it.each([
    ["a b+c.png", "a%20b%2Bc.png"],
    ["ü/日本.png", "%C3%BC/%E6%97%A5%E6%9C%AC.png"],
    ["%2e%2e/100%.png", "%252e%252e/100%25.png"],
    ["it's (1)*!&=?#~;:@,.png", "it%27s%20%281%29%2A%21%26%3D%3F%23~%3B%3A%40%2C.png"],
  ])("stores a file under the key %j, percent-encoded in the location", async (key, encoded) => {
    expect(await put(key)).toEqual({ location: `s3://renderings/${encoded}` });
    expect([...server.objects.keys()]).toEqual([key]);
  });

  it("can address the bucket as a subdomain, on a private address and any port", async () => {
    const resolver = createFakeResolver({ "renderings.minio": ["127.0.0.1"] });
    const endpoint = `http://minio:${server.port}`;
    // the path has no bucket, so the loopback store treats the key's first segment as the bucket
    const stored = await put("renderings/b.png", { endpoint, addressing: "virtual", resolver });
    expect(stored).toEqual({ location: "s3://renderings/renderings/b.png" });
    expect([...server.objects.keys()]).toEqual(["b.png"]);
  });

  it.each<[StoreFault, string, string]>([
    [400, "unavailable", "400 RequestTimeout"],
    [403, "refused", "403 AccessDenied"],
    [404, "refused", "404 NoSuchBucket"],
    [301, "refused", "301 PermanentRedirect"],
    [500, "unavailable", "500 InternalError"],
    [503, "unavailable", "503 SlowDown"],
    [429, "unavailable", "429 Unknown"],
    [200, "unavailable", "200 Unknown"],
    ["resets", "unavailable", "the connection was lost, or the response is too long or not valid HTTP"],
    [
      "loses-response",
      "unavailable",
      "the connection was lost, or the response is too long or not valid HTTP",
    ],
  ])("reports %j as %s", async (fault, reason, detail) => {
    server.failNext(fault);
    expect(await put("a.png")).toEqual({ failure: { reason, detail } });
  });

  it("gives up on a store that never responds", async () => {
    server.failNext("silent");
    expect(await put("a.png", { timeoutMs: 50 })).toEqual({
      failure: { reason: "timed-out", detail: "no response within 50 ms" },
    });
  });

  it.each<[string, Partial<S3StoreOptions>, string]>([
    ["a wrong key", { secretAccessKey: "another" }, "403 SignatureDoesNotMatch"],
    ["an unknown key id", { accessKeyId: "AKIAANOTHER" }, "403 InvalidAccessKeyId"],
    ["another region", { region: "us-east-1" }, "403 SignatureDoesNotMatch"],
    [
      "a clock that is an hour off",
      { clock: fixedClock(Date.now() - 3_600_000) },
      "403 RequestTimeTooSkewed",
    ],
    ["another bucket", { bucket: "elsewhere" }, "404 NoSuchBucket"],
  ])("is refused with %s", async (_, options, detail) => {
    expect(await put("a.png", options)).toEqual({ failure: { reason: "refused", detail } });
    expect(server.objects.size).toBe(0);
  });

  it("reports an unknown host and a closed port", async () => {
    const resolver = createFakeResolver({});
    const unknown = await put("a.png", { endpoint: "http://nowhere.example.com", resolver });
    expect(unknown).toMatchObject({
      failure: { reason: "unavailable", detail: "its host name has no address" },
    });
    const closed = await put("a.png", { endpoint: "http://127.0.0.1:1" });
    expect(closed).toMatchObject({ failure: { reason: "unavailable" } });
  });

  it.each<[string, Partial<S3StoreOptions>]>([
    ["a link-local address", { endpoint: "http://169.254.169.254" }],
    ["a link-local IPv6 address", { endpoint: "http://[fe80::1]:9000" }],
    ["a metadata service in IPv6", { endpoint: "http://[fd00:ec2::254]" }],
    ["a metadata service through NAT64", { endpoint: "http://[64:ff9b::a9fe:a9fe]" }],
    ["an IPv4-mapped link-local address", { endpoint: "http://[::ffff:169.254.169.254]" }],
    ["a link-local address in decimal notation", { endpoint: "http://2852039166" }],
    ["a name that resolves to a link-local address", { endpoint: "http://minio.internal:9000" }],
    ["a name that also resolves to a metadata service", { endpoint: "http://both.internal:9000" }],
  ])("never contacts %s", async (_, options) => {
    const resolver = createFakeResolver({
      "minio.internal": ["169.254.169.254"],
      "both.internal": ["127.0.0.1", "fd00:ec2::254"],
    });
    expect(await put("a.png", { ...options, resolver })).toEqual({
      failure: { reason: "refused", detail: "its address is not allowed" },
    });
  });

  it("rejects virtual addressing for a host that cannot have subdomains", () => {
    expect(() => open({ endpoint: "http://192.0.2.1:9000", addressing: "virtual" })).toThrow(
      new RangeError("addressing cannot be virtual: 192.0.2.1:9000 cannot have the subdomain renderings"),
    );
  });

  it("checks the bucket without changing it", async () => {
    expect(await open().check()).toBeNull();
    expect(await open({ bucket: "elsewhere" }).check()).toEqual({ reason: "refused", detail: "404" });
    expect(await open({ secretAccessKey: "another" }).check()).toEqual({ reason: "refused", detail: "403" });
    expect(server.objects.size).toBe(0);
  });
});

describe("createS3Store, as a bucket", () => {
  const content = Buffer.alloc(3_000_000, "0123456789");

  it("returns an object's bytes, or null if it is too large or missing", async () => {
    await put("a b/c.png", { content, prefix: "x" });
    const store = open({ prefix: "x" });
    expect(await store.get({ key: "a b/c.png", maxBytes: 3_000_000 })).toEqual({ bytes: content });
    expect(await store.get({ key: "a b/c.png", maxBytes: 2_999_999 })).toEqual({ bytes: null });
    expect(await store.get({ key: "a b/d.png", maxBytes: 3_000_000 })).toEqual({ bytes: null });
    expect(await store.get({ key: "a b/d.png", maxBytes: 10 })).toEqual({ bytes: null });
  });

  it.each<[StoreFault, string]>([
    [404, "404 NoSuchBucket"],
    [500, "500 InternalError"],
    ["truncates", "the connection was lost, or the response is too long or not valid HTTP"],
  ])("reports %j on reading, deleting and listing", async (fault, detail) => {
    await put("a.png", { content });
    server.failMethod("GET", fault);
    const failure = expect.objectContaining({ detail });
    expect(await open().get({ key: "a.png", maxBytes: 3_000_000 })).toEqual({ failure });
    expect(await open().list({ prefix: "a", after: "", limit: 10 })).toEqual({ failure });
    if (typeof fault !== "number") return;
    server.failMethod("DELETE", fault);
    expect(await open().delete("a.png")).toEqual(failure);
  });

  it("returns null for an object that is much larger than the maximum", async () => {
    await put("a.png", { content });
    expect(await open().get({ key: "a.png", maxBytes: 1000 })).toEqual({ bytes: null });
  });

  it("deletes an object, whether it exists or not", async () => {
    await put("a b.png");
    expect([await open().delete("a b.png"), await open().delete("a b.png")]).toEqual([null, null]);
    expect(server.objects.size).toBe(0);
  });

  it("lists the keys with a prefix in order, starting after a given key", async () => {
    for (const key of ["c/2", "c/10", "c/1 ü+&<%2F>", "c", "d/1"]) await put(key, { prefix: "a +b" });
    await put("c/3", { prefix: "a" });
    const list = (after: string, limit: number): unknown =>
      open({ prefix: "a +b" }).list({ prefix: "c/", after, limit });
    expect(await list("", 10)).toEqual({ keys: ["c/1 ü+&<%2F>", "c/10", "c/2"] });
    expect(await list("", 2)).toEqual({ keys: ["c/1 ü+&<%2F>", "c/10"] });
    expect(await list("c/10", 10)).toEqual({ keys: ["c/2"] });
    expect(await list("c/2", 10)).toEqual({ keys: [] });
  });

  it.each([
    ["a page", "<html>Please sign in.</html>", "the response is not a list of objects"],
    ["three megabytes without a list", "<Key>".padEnd(3_000_000), "the response is not a list of objects"],
    [
      "an empty list with more to come",
      "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
      "the list has no keys, but is not complete",
    ],
    [
      "an unreadable key with more to come",
      "<ListBucketResult><Key>a/%zz</Key><IsTruncated>true</IsTruncated></ListBucketResult>",
      "the list has no keys, but is not complete",
    ],
    [
      "a list without a key in its first two megabytes",
      "<ListBucketResult><Key>".padEnd(3_000_000),
      "the list has no keys, but is not complete",
    ],
  ])("reports an unusable response to a listing: %s", async (_, body, detail) => {
    const list = open({ endpoint: await serve(body) }).list({ prefix: "a/", after: "", limit: 10 });
    expect(await list).toEqual({ failure: { reason: "unavailable", detail } });
  });

  it("reports a store that ignores start-after, because a listing would never end", async () => {
    const endpoint = await serve("<ListBucketResult><Key>a/1</Key></ListBucketResult>");
    expect(await open({ endpoint }).list({ prefix: "a/", after: "a/1", limit: 10 })).toEqual({
      failure: { reason: "refused", detail: "the list ignores start-after" },
    });
  });

  it("returns the first keys of a list of three megabytes", async () => {
    const keys = Array.from(
      { length: 1000 },
      (_, index) => `a/${String(index).padStart(4, "0")}${"é".repeat(500)}`,
    );
    const entries = keys.map((key) => `<Key>${encodeURIComponent(key)}</Key>`);
    const endpoint = await serve(`<ListBucketResult>${entries.join("")}</ListBucketResult>`);
    const list = open({ endpoint }).list({ prefix: "a/", after: "", limit: 1000 });
    // the response is read up to 2 MiB; the key that is cut off there is not among them
    expect(await list).toEqual({ keys: keys.slice(0, 694) });
  });

  it("skips keys that it did not request, and malformed keys", async () => {
    const keys = ["a/1", "b/1", "a/%zz", "", "a/2", "a/3"].map((key) => `<Key>${key}</Key>`);
    const endpoint = await serve(`<ListBucketResult>${keys.join("")}</ListBucketResult>`);
    const list = open({ endpoint }).list({ prefix: "a/", after: "", limit: 2 });
    expect(await list).toEqual({ keys: ["a/1", "a/2"] });
  });
});

/** Serves every request with this body; returns the origin. */
async function serve(body: string): Promise<string> {
  const port = await listen(createServer((_, response) => void response.end(body)));
  return `http://127.0.0.1:${port}`;
}

function fixedClock(now: number): NonNullable<S3StoreOptions["clock"]> {
  return { now: () => now, after: () => () => {} };
}
