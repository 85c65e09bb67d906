import { AwsV4Signer } from "aws4fetch";
import type { ObjectStore, StoreFailure } from "../ports/object-store.ts";
import { systemClock, type Clock } from "../ports/clock.ts";
import type { Resolver } from "../ports/resolver.ts";
import { METADATA_TARGETS } from "../targets/metadata.ts";
import { parseTargetList } from "../targets/target-list.ts";
import { createHttpSender, type HttpOutcome, type HttpRequest } from "./http-sender.ts";
import { systemResolver } from "./names/system-resolver.ts";
import type { UpstreamProxy } from "./upstream-proxy.ts";

/** Time limit of one request, from name resolution to the last byte. */
export const STORE_TIMEOUT_MS = 30_000;
/** Responses are empty, or a short XML document. */
const RESPONSE_BYTES_MAX = 65_536;
/** SHA-256 of an empty body. */
const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** A bucket, and how to reach it. */
export interface S3StoreOptions {
  /** Origin of the service, such as `https://s3.eu-central-1.amazonaws.com`; may be on a private network. */
  readonly endpoint: string;
  /** As the service names it, such as `eu-central-1`; `auto` for Cloudflare R2. */
  readonly region: string;
  readonly bucket: string;
  /** Prepended to every key, as its first segments; none by default. At most 100 characters. */
  readonly prefix?: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Whether the bucket is part of the path, the default, or of the host name. */
  readonly addressing?: "path" | "virtual" | undefined;
  /** Time limit of a request; 30,000 ms by default. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** `systemResolver` by default. */
  readonly resolver?: Resolver | undefined;
  /** None by default. */
  readonly upstreamProxy?: UpstreamProxy | null | undefined;
}

/** An S3-compatible object store. */
export interface S3Store extends ObjectStore {
  /** Requests the bucket, and changes nothing; returns `null` if it exists and the credentials may list it. */
  check(): Promise<StoreFailure | null>;
}

/**
 * Creates a store in a bucket of Amazon S3 or a compatible service. It never follows redirects, and does not retry. Its
 * endpoint is allowed even on a private network, but only for the store itself, not for pages. A link-local address or a
 * cloud's metadata service is never contacted.
 *
 * @example
 * const archive = createS3Store({
 *   endpoint: "https://s3.eu-central-1.amazonaws.com",
 *   region: "eu-central-1",
 *   bucket: "example-renderings",
 *   accessKeyId: "AKIAIOSFODNN7EXAMPLE",
 *   secretAccessKey: process.env.ARCHIVE_SECRET_ACCESS_KEY ?? "",
 * });
 * const engine = createEngine({ storage, renderer, secretKey, stores: { archive: { store: archive } } });
 */
export function createS3Store(options: S3StoreOptions): S3Store {
  const { bucket, prefix, timeoutMs = STORE_TIMEOUT_MS } = options;
  const { clock = systemClock, resolver = systemResolver, upstreamProxy } = options;
  const bucketUrl = urlOf(options);
  const policy = { allow: parseTargetList(hostAndPort(bucketUrl)), deny: METADATA_TARGETS };
  const maxResponseBytes = RESPONSE_BYTES_MAX;
  const sender = createHttpSender({ policy, resolver, upstreamProxy, clock, timeoutMs, maxResponseBytes });
  const send = async (request: HttpRequest, sha256: string): Promise<StoreFailure | null> => {
    const headers = await sign(request, { ...options, sha256, now: clock.now() });
    return failureOf(await sender.send({ ...request, headers }), timeoutMs);
  };
  return {
    async put({ key, bytes, sha256, contentType }) {
      const path = encodePath(prefix === undefined ? key : `${prefix}/${key}`);
      const headers = { "Content-Type": contentType };
      const url = `${bucketUrl.href.replace(/\/$/, "")}/${path}`;
      const failure = await send({ method: "PUT", url, headers, body: bytes }, sha256);
      return failure === null ? { location: `s3://${bucket}/${path}` } : { failure };
    },
    check: () => send({ method: "HEAD", url: bucketUrl.href, headers: {}, body: null }, EMPTY_SHA256),
  };
}

function urlOf({ endpoint, bucket, addressing = "path" }: S3StoreOptions): URL {
  const url = new URL(endpoint);
  if (addressing === "virtual") url.host = `${bucket}.${url.host}`;
  else url.pathname = `/${bucket}`;
  return url;
}

function hostAndPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** Everything but unreserved characters is encoded, so no server reads the path in another way (RFC 3986, 2.3). */
function encodePath(key: string): string {
  const encode = (segment: string): string =>
    encodeURIComponent(segment).replaceAll(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  return key.split("/").map(encode).join("/");
}

/** Returns the headers with a signature (AWS Signature Version 4) that also covers the body. */
async function sign(
  { method, url, headers }: HttpRequest,
  {
    region,
    accessKeyId,
    secretAccessKey,
    sha256,
    now,
  }: Pick<S3StoreOptions, "region" | "accessKeyId" | "secretAccessKey"> & {
    readonly sha256: string;
    readonly now: number;
  },
): Promise<Readonly<Record<string, string>>> {
  const datetime = new Date(now).toISOString().replaceAll(/[:-]|\.\d{3}/g, "");
  const signer = new AwsV4Signer({
    method,
    url,
    headers: { ...headers, "X-Amz-Content-Sha256": sha256 },
    service: "s3",
    region,
    accessKeyId,
    secretAccessKey,
    datetime,
    allHeaders: true,
  });
  const signed = await signer.sign();
  return Object.fromEntries(signed.headers);
}

/** S3 can send it with status 200, if the error occurs after the response has started; a retry can succeed. */
const XML_ERROR = /^\s*(?:<\?xml[^>]*\?>\s*)?<Error[\s>]/;
/** Statuses after which a retry can succeed (RFC 9110, 15.5.9; RFC 6585, 4), besides 5xx. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([408, 429]);

function failureOf(outcome: HttpOutcome, timeoutMs: number): StoreFailure | null {
  if (outcome.kind === "failed") {
    const { reason } = outcome;
    if (reason === "timed-out") return { reason, detail: `no response within ${timeoutMs} ms` };
    return { reason: "unavailable", detail: EXPLANATIONS[reason] };
  }
  const { status, body } = outcome;
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && !XML_ERROR.test(body)) return null;
  // the store can send anything; its codes are words such as AccessDenied
  const [, code = ""] = /<Code>(\w{1,64})<\/Code>/.exec(body) ?? [];
  const isBusy = isSuccess || status >= 500 || BUSY_STATUSES.has(status);
  return { reason: isBusy ? "unavailable" : "refused", detail: `${status} ${code}`.trimEnd() };
}

const EXPLANATIONS: Readonly<
  Record<Exclude<Extract<HttpOutcome, { readonly kind: "failed" }>["reason"], "timed-out">, string>
> = {
  blocked: "its address is not allowed",
  unresolved: "its host name has no address",
  "resolver-failed": "name resolution failed",
  unreachable: "no connection, or an invalid certificate",
  "proxy-failed": "the upstream proxy failed",
  broken: "the connection was lost, or the response is not HTTP",
};
