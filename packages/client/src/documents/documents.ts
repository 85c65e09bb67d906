import { DOCUMENT_TYPES, ProblemList, type StoredDocument } from "@snap/protocol";
import { misconfigured } from "../errors.ts";
import { readId } from "../read-options.ts";
import { readJson, readNoContent } from "../sending/read-json.ts";
import type { CallOptions, RequestBody, SendToService } from "../sending/send.ts";
import { throwIfInvalid } from "../sending/throw-if-invalid.ts";

interface Contents {
  readonly html: string;
  /** GitHub Flavored Markdown. */
  readonly markdown: string;
  /** A ZIP file with an `index.html` or `index.md`. */
  readonly zip: Uint8Array;
  /** Files by path, one of them `index.html` or `index.md`. */
  readonly files: Readonly<Record<string, string | Uint8Array | Blob>>;
}

/** Exactly one of `html`, `markdown`, `zip` and `files`. */
export type DocumentInput = {
  readonly [Kind in keyof Contents]: Pick<Contents, Kind> & {
    readonly [Other in Exclude<keyof Contents, Kind>]?: undefined;
  };
}[keyof Contents];

export interface CreateOptions extends CallOptions {
  /**
   * How long the document is stored, in seconds: 60 to 2,592,000.
   * @default 86400
   */
  readonly ttlSeconds?: number | undefined;
}

/** The account's documents. */
export interface Documents {
  /**
   * Uploads a document. Costs no credits. The same content is stored once, with the later expiry.
   *
   * @throws SnapError for every failure, such as `payload_too_large`; `misconfigured` without exactly one kind of content.
   * @example
   * const { url } = await snap.documents.create({ files: { "index.html": "<h1>Invoice 7</h1>", "style.css": "h1 { color: teal }" } });
   * const { bytes } = await snap.pdf({ url });
   */
  create(document: DocumentInput, options?: CreateOptions): Promise<StoredDocument>;
  /** @throws SnapError `not_found` if the document is unknown, was deleted or has expired. */
  get(id: string, options?: CallOptions): Promise<StoredDocument>;
  /**
   * Deletes a document before it expires.
   *
   * @throws SnapError like `get`. If the response to a successful attempt is lost, its retry fails with `not_found`.
   */
  delete(id: string, options?: CallOptions): Promise<void>;
}

const readStoredDocument = readJson<StoredDocument>("url", "string");

export function createDocuments(request: SendToService): Documents {
  const pathOf = (id: string): string => `/documents/${encodeURIComponent(readId(id))}`;
  return {
    async create(document, { ttlSeconds, ...options } = {}) {
      const query = ttlSeconds === undefined ? "" : `?documentTtl=${ttlSeconds}`;
      const upload = toUpload(document);
      // the same content is stored once
      return request(
        `/documents${query}`,
        { ...upload, retryIsFree: true, read: readStoredDocument },
        options,
      );
    },
    get: async (id, options) => request(pathOf(id), { retryIsFree: true, read: readStoredDocument }, options),
    delete: async (id, options) =>
      request(pathOf(id), { method: "DELETE", retryIsFree: true, read: readNoContent }, options),
  };
}

/** `contentType` is `null` for a form, because `fetch` adds it. */
function toUpload(document: DocumentInput): {
  readonly body: RequestBody;
  readonly contentType: string | null;
} {
  const contents = Object.entries(Object(document) as object).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  const [kind = "", content] = contents.length === 1 ? (contents[0] ?? []) : [];
  if (kind === "files") return { body: toForm(content as Contents["files"]), contentType: null };
  if (kind === "html" || kind === "markdown" || kind === "zip")
    return { body: content as RequestBody, contentType: DOCUMENT_TYPES[kind] };
  throw misconfigured("documents.create() needs exactly one of html, markdown, zip and files.");
}

function toForm(files: Contents["files"]): FormData {
  const form = new FormData();
  const problems = new ProblemList();
  for (const [path, content] of Object.entries(files)) {
    // the service would read a different path from the form
    if (/["\\\r\n]/.test(path))
      problems.add(
        path,
        "must have a path without backslashes or line breaks; double quotes work only in a ZIP file",
      );
    form.append("files", new Blob([content]), path);
  }
  throwIfInvalid(problems.toFailure());
  return form;
}
