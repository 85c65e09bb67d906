import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { openPort } from "./open-port.ts";

/**
 * How the store fails. A number: a response with that status. `silent`: never responds. `resets`:
 * resets the connection while the request's body arrives. `loses-response`: stores the object, then
 * closes the connection without a response. `truncates`: closes the connection in the middle of the
 * response. `corrupts`: changes the last byte. `captive-portal`: responds 200 with a sign-in page.
 */
export type StoreFault =
  number | "silent" | "resets" | "loses-response" | "truncates" | "corrupts" | "captive-portal";

export interface StoredObject {
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
}

/** An S3-compatible store on the loopback interface, which verifies every signature. */
export interface ObjectStoreServer {
  readonly origin: string;
  readonly port: number;
  /** The objects of the bucket by key, in the order in which they were stored. */
  readonly objects: Map<string, StoredObject>;
  /** Number of requests so far. */
  readonly requests: () => number;
  /** Resolves after `count` requests in total. */
  whenRequested(count: number): Promise<void>;
  /** Makes the next `times` requests fail; one by default. */
  failNext(fault: StoreFault, times?: number): void;
  /** Makes all requests with this method fail, until it is called with `null` for the method. */
  failMethod(method: string, fault: StoreFault | null): void;
  /** Forgets the objects and the faults. */
  clear(): void;
  close(): Promise<void>;
}

export const STORE_CREDENTIALS = {
  region: "eu-test-1",
  bucket: "renderings",
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
} as const;

const ERROR_CODES: Readonly<Record<number, string>> = {
  301: "PermanentRedirect",
  400: "RequestTimeout",
  403: "AccessDenied",
  404: "NoSuchBucket",
  405: "MethodNotAllowed",
  500: "InternalError",
  503: "SlowDown",
};
/** The difference between the clocks that S3 accepts. */
const SKEW_MAX_MS = 15 * 60_000;

/** @param now Time of the store's clock; the system's by default. */
export async function openObjectStore(now: () => number = Date.now): Promise<ObjectStoreServer> {
  const objects = new Map<string, StoredObject>();
  const faults: StoreFault[] = [];
  const faultsByMethod = new Map<string | undefined, StoreFault | null>();
  const watchers = new Set<() => void>();
  let requests = 0;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fault = faults.shift() ?? faultsByMethod.get(request.method) ?? null;
    requests += 1;
    for (const check of watchers) check();
    if (fault === "silent") return;
    if (fault === "resets") {
      request.once("data", () => request.socket.resetAndDestroy());
      return;
    }
    const body = Buffer.concat(await request.toArray());
    if (typeof fault === "number") return refuse(response, fault);
    const problem = findProblem(request, { body, now: now() });
    if (problem !== null) return refuse(response, 403, problem);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://store");
    const [, bucket, path = ""] = /^\/([^/]+)(?:\/(.+))?$/.exec(pathname) ?? [];
    if (bucket !== STORE_CREDENTIALS.bucket) return refuse(response, 404);
    const key = decodeURIComponent(path);
    const object = objects.get(key);
    let content = Buffer.alloc(0);
    if (request.method === "PUT")
      objects.set(key, { bytes: body, contentType: request.headers["content-type"] });
    else if (request.method === "DELETE") objects.delete(key);
    else if (request.method === "GET" && key === "") content = Buffer.from(listXml(objects, searchParams));
    else if (request.method === "GET" && object === undefined) return refuse(response, 404, "NoSuchKey");
    else if (request.method === "GET") content = Buffer.from(object?.bytes ?? "");
    else if (request.method !== "HEAD") return refuse(response, 405);
    respond(response, content, fault);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const { port, close } = await openPort(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    objects,
    requests: () => requests,
    async whenRequested(count) {
      const reached = Promise.withResolvers<void>();
      const check = (): void => {
        if (requests >= count) reached.resolve();
      };
      watchers.add(check);
      check();
      await reached.promise;
      watchers.delete(check);
    },
    failNext(fault, times = 1) {
      for (let time = 0; time < times; time += 1) faults.push(fault);
    },
    failMethod: (method, fault) => void faultsByMethod.set(method, fault),
    clear() {
      objects.clear();
      faults.length = 0;
      faultsByMethod.clear();
    },
    close,
  };
}

function respond(response: ServerResponse, content: Buffer, fault: StoreFault | null): void {
  if (fault === "loses-response") {
    response.destroy();
  } else if (fault === "truncates") {
    response.writeHead(200, { "Content-Length": content.length });
    response.write(content.subarray(0, content.length / 2), () => response.destroy());
  } else if (fault === "corrupts") {
    response.end(Buffer.concat([content.subarray(0, -1), Buffer.of(~(content.at(-1) ?? 0))]));
  } else {
    response.end(fault === "captive-portal" ? "<html>Please sign in.</html>" : content);
  }
}

/** ListObjectsV2 with `encoding-type=url`. */
function listXml(objects: ReadonlyMap<string, StoredObject>, query: URLSearchParams): string {
  if (query.get("list-type") !== "2" || query.get("encoding-type") !== "url") return "<Error/>";
  const prefix = query.get("prefix") ?? "";
  const after = query.get("start-after") ?? "";
  const limit = Math.min(1000, Number(query.get("max-keys") ?? 1000));
  const compare = (one: string, other: string): number =>
    Buffer.compare(Buffer.from(one), Buffer.from(other));
  const keys = [...objects.keys()]
    .filter((key) => key.startsWith(prefix) && compare(key, after) > 0)
    .toSorted(compare);
  const contents = keys
    .slice(0, limit)
    .map((key) => `<Contents><Key>${encodeURIComponent(key)}</Key><Size>1</Size></Contents>`);
  const isTruncated = `<IsTruncated>${keys.length > limit}</IsTruncated>`;
  return `<?xml version="1.0"?><ListBucketResult>${isTruncated}${contents.join("")}</ListBucketResult>`;
}

function refuse(response: ServerResponse, status: number, code = ERROR_CODES[status] ?? "Unknown"): void {
  response.writeHead(status, { "Content-Type": "application/xml" });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`);
}

/** Returns the code of the error if the request is not signed correctly; `null` if it is. */
function findProblem(
  { method = "", url = "", headers }: IncomingMessage,
  { body, now }: { readonly body: Buffer; readonly now: number },
): string | null {
  const { region, accessKeyId, secretAccessKey } = STORE_CREDENTIALS;
  const parts = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/;
  const [, keyId, scope = "", signedHeaders = "", signature] = parts.exec(headers.authorization ?? "") ?? [];
  if (keyId !== accessKeyId) return "InvalidAccessKeyId";
  const date = String(headers["x-amz-date"]);
  const [, ...fields] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const [year, month, day, ...time] = fields;
  const at = Date.parse(`${year}-${month}-${day}T${time.join(":")}Z`);
  if (!(Math.abs(at - now) <= SKEW_MAX_MS)) return "RequestTimeTooSkewed";
  const digest = createHash("sha256").update(body).digest("hex");
  if (headers["x-amz-content-sha256"] !== digest) return "XAmzContentSHA256Mismatch";
  const names = signedHeaders.split(";");
  if (!["host", "x-amz-content-sha256", "x-amz-date"].every((name) => names.includes(name)))
    return "AccessDenied";
  const [path = "", query = ""] = url.split("?", 2);
  const expected = signatureOf({
    method,
    path,
    // sorted by name, as the signature requires
    query: query.split("&").toSorted().join("&"),
    headers: names.map((name) => [name, String(headers[name])] as const),
    digest,
    date,
    region,
    secretAccessKey,
  });
  const isInScope = scope === `${date.slice(0, 8)}/${region}/s3/aws4_request`;
  return isInScope && signature === expected ? null : "SignatureDoesNotMatch";
}

/** Returns a request's signature (Amazon S3 API reference, "Authenticating requests"). */
export function signatureOf(request: {
  readonly method: string;
  /** Percent-encoded. */
  readonly path: string;
  /** Percent-encoded and sorted; none by default. */
  readonly query?: string;
  /** The signed headers, sorted, with names in lowercase. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly digest: string;
  readonly date: string;
  readonly region: string;
  readonly secretAccessKey: string;
}): string {
  const { method, path, query = "", headers, digest, date, region, secretAccessKey } = request;
  const fields = headers.map(([name, value]) => `${name}:${value.trim()}\n`).join("");
  const names = headers.map(([name]) => name).join(";");
  const canonical = [method, path, query, fields, names, digest].join("\n");
  const scope = [date.slice(0, 8), region, "s3", "aws4_request"];
  const hashed = createHash("sha256").update(canonical).digest("hex");
  const key = scope.reduce<string | Buffer>(
    (previous, part) => createHmac("sha256", previous).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  const text = ["AWS4-HMAC-SHA256", date, scope.join("/"), hashed].join("\n");
  return createHmac("sha256", key).update(text).digest("hex");
}
