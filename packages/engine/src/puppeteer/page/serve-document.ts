import { DOCUMENT_LIMITS, DOCUMENT_ORIGIN } from "@snap/protocol";
import PQueue from "p-queue";
import { normalizePath } from "../../documents/normalize-path.ts";
import type { DocumentFile } from "../../ports/documents.ts";
import type { ServedDocument } from "../../ports/renderer.ts";
import type { LocalResponse, PausedRequest, RequestRule, Verdict } from "./intercept-requests.ts";
import type { PageToRender } from "./page-to-render.ts";

/** Enough to load every file twice. A page that loads its files repeatedly must not fill this process's memory. */
const SERVED_BYTES_MAX = 2 * DOCUMENT_LIMITS.unpackedBytes;

const READS_IN_FLIGHT_MAX = 4;

/**
 * Serves the files of the page's document at the documents' origin, which is not on the network. Other pages cannot
 * load anything from it, because connections to it are blocked.
 */
export function documentRules({
  tab,
  document,
}: Pick<PageToRender, "tab" | "document">): readonly RequestRule[] {
  if (document === undefined) return [];
  const reads = new PQueue({ concurrency: READS_IN_FLIGHT_MAX });
  let servedBytes = 0;
  const serve = async (request: Request): Promise<Verdict> => {
    if (servedBytes > SERVED_BYTES_MAX || tab.ended.aborted) return { fail: "Failed" };
    try {
      const response = await responseTo(request, document);
      servedBytes += response.body.byteLength;
      return { fulfill: response };
    } catch (error) {
      // without the file, the page would render incorrectly
      tab.end(error instanceof Error ? error : new Error("a file could not be read", { cause: error }));
      return { fail: "Failed" };
    }
  };
  const rule: RequestRule = {
    patterns: [{ urlPattern: `${DOCUMENT_ORIGIN}/*` }],
    judge: ({ request }) => (isServed(request) ? reads.add(() => serve(request)) : null),
  };
  return [rule];
}

type Request = Pick<PausedRequest["request"], "url" | "method">;

/** Rules also receive requests that only match another rule's patterns. */
function isServed({ url }: Request): boolean {
  return url.startsWith(`${DOCUMENT_ORIGIN}/`);
}

/** Responds like a web server with these files, at the document's URL and at the root of its origin. */
async function responseTo({ url, method }: Request, document: ServedDocument): Promise<LocalResponse> {
  if (method !== "GET" && method !== "HEAD")
    return textResponse(405, "Method not allowed", { allow: "GET, HEAD" });
  const { pathname, search } = new URL(url);
  const folder = new URL(document.url).pathname;
  if (`${pathname}/` === folder) return redirectResponse(`${folder}${search}`);
  const path = decode(pathname.startsWith(folder) ? pathname.slice(folder.length) : pathname.slice(1));
  if (path === null) return textResponse(404, "Not found");
  const isFolder = path === "" || path.endsWith("/");
  const file = await document.readFile(isFolder ? `${path}${INDEX}` : path);
  if (file !== null) return fileResponse(file, method);
  const isMoved = !isFolder && (await document.readFile(`${path}/${INDEX}`)) !== null;
  return isMoved ? redirectResponse(`${pathname}/${search}`) : textResponse(404, "Not found");
}

const INDEX = "index.html";

function decode(path: string): string | null {
  try {
    return normalizePath(decodeURIComponent(path));
  } catch {
    return null;
  }
}

function fileResponse({ contentType, bytes }: DocumentFile, method: string): LocalResponse {
  const headers = { "content-type": contentType, "content-length": String(bytes.byteLength) };
  return responseWith(200, headers, method === "HEAD" ? NO_BYTES : bytes); // RFC 9110, 9.3.2
}

function redirectResponse(location: string): LocalResponse {
  return responseWith(301, { location }, NO_BYTES);
}

function textResponse(status: number, text: string, headers: LocalResponse["headers"] = {}): LocalResponse {
  return responseWith(status, { "content-type": "text/plain; charset=utf-8", ...headers }, Buffer.from(text));
}

const NO_BYTES = new Uint8Array();

/** Because of its `content-length`, a response counts as received even if no script reads its body. */
function responseWith(status: number, headers: LocalResponse["headers"], body: Uint8Array): LocalResponse {
  const length = { "content-length": String(body.byteLength) };
  return { status, headers: { "cache-control": "no-store", ...length, ...headers }, body };
}
