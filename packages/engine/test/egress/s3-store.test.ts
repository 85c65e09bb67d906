import { createFakeResolver } from "@snap/testing";
import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
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
  ])("stores under %j", async (key, encoded) => {
    expect(await put(key)).toEqual({ location: `s3://renderings/${encoded}` });
    expect([...server.objects.keys()]).toEqual([key]);
  });

  it("can address the bucket by its host name, on a private address and any port", async () => {
    const resolver = createFakeResolver({ "renderings.minio": ["127.0.0.1"] });
    const endpoint = `http://minio:${server.port}`;
    // the path has no bucket, so the loopback store takes the key's first segment for it
    const stored = await put("renderings/b.png", { endpoint, addressing: "virtual", resolver });
    expect(stored).toEqual({ location: "s3://renderings/renderings/b.png" });
    expect([...server.objects.keys()]).toEqual(["b.png"]);
  });

  it.each<[StoreFault, string, string]>([
    [403, "refused", "403 AccessDenied"],
    [404, "refused", "404 NoSuchBucket"],
    [301, "refused", "301 PermanentRedirect"],
    [500, "unavailable", "500 InternalError"],
    [503, "unavailable", "503 SlowDown"],
    [429, "unavailable", "429 Unknown"],
    [200, "unavailable", "200 Unknown"],
    ["resets", "unavailable", "the connection was lost, or the response is not HTTP"],
    ["loses-answer", "unavailable", "the connection was lost, or the response is not HTTP"],
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
    ["an IPv4-mapped address", { endpoint: "http://[::ffff:169.254.169.254]" }],
    ["another notation", { endpoint: "http://2852039166" }],
    ["an address that cannot have subdomains", { endpoint: "http://169.254.1.1", addressing: "virtual" }],
    ["a name that resolves to one", { endpoint: "http://minio.internal:9000" }],
    ["a name that also resolves to one", { endpoint: "http://both.internal:9000" }],
  ])("never contacts %s", async (_, options) => {
    const resolver = createFakeResolver({
      "minio.internal": ["169.254.169.254"],
      "both.internal": ["127.0.0.1", "fd00:ec2::254"],
    });
    expect(await put("a.png", { ...options, resolver })).toEqual({
      failure: { reason: "unavailable", detail: "its address is not allowed" },
    });
  });

  it("checks the bucket without changing it", async () => {
    expect(await open().check()).toBeNull();
    expect(await open({ bucket: "elsewhere" }).check()).toEqual({ reason: "refused", detail: "404" });
    expect(await open({ secretAccessKey: "another" }).check()).toEqual({ reason: "refused", detail: "403" });
    expect(server.objects.size).toBe(0);
  });
});

function fixedClock(now: number): NonNullable<S3StoreOptions["clock"]> {
  return { now: () => now, after: () => () => {} };
}
