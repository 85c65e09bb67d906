import { DOCUMENT_TYPES, type StoredDocument } from "@snap/protocol";
import type { CallOptions, RequestBody } from "../sending/send.ts";
import { refusedParameters } from "../sending/write-query.ts";

interface Contents {
  readonly html: string;
  /** GitHub Flavored Markdown. */
  readonly markdown: string;
  /** A ZIP file with an `index.html` or `index.md`. */
  readonly zip: Uint8Array;
  /** Files by their paths, one of them `index.html` or `index.md`. */
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

/** The documents of the account. */
export interface Documents {
  /**
   * Uploads a document. Costs no credits. The same content is stored once, with the later expiry.
   *
   * @throws SnapError for every failure, such as `payload_too_large`; TypeError without exactly one kind of content.
   * @example
   * const { url } = await snap.documents.create({ files: { "index.html": html, "logo.png": logo } });
   * const { bytes } = await snap.pdf({ url });
   */
  create(document: DocumentInput, options?: CreateOptions): Promise<StoredDocument>;
  /** @throws SnapError `not_found` if it is unknown, deleted or expired. */
  get(id: string, options?: CallOptions): Promise<StoredDocument>;
  /** Deletes a document before it expires. @throws SnapError like `get`. */
  delete(id: string, options?: CallOptions): Promise<void>;
}

/** The body of an upload. Without a content type, `fetch` adds that of the form. */
interface Upload {
  readonly body: RequestBody;
  readonly contentType: string | null;
}

/** Requests to paths below the base URL. */
export interface DocumentTransport {
  post(path: string, upload: Upload, options?: CallOptions): Promise<StoredDocument>;
  get(path: string, options?: CallOptions): Promise<StoredDocument>;
  delete(path: string, options?: CallOptions): Promise<void>;
}

export function createDocuments(transport: DocumentTransport): Documents {
  const pathOf = (id: string): string => `/documents/${encodeURIComponent(id)}`;
  return {
    async create(document, { ttlSeconds, ...options } = {}) {
      const query = ttlSeconds === undefined ? "" : `?documentTtl=${ttlSeconds}`;
      return transport.post(`/documents${query}`, toUpload(document), options);
    },
    get: async (id, options) => transport.get(pathOf(id), options),
    delete: async (id, options) => transport.delete(pathOf(id), options),
  };
}

function toUpload(document: DocumentInput): Upload {
  const sent = Object.entries(Object(document) as object).filter(([, value]) => value !== undefined);
  const [kind, content] = sent.length === 1 ? (sent[0] ?? []) : [];
  switch (kind) {
    case "html":
    case "markdown":
    case "zip":
      return { body: content as RequestBody, contentType: DOCUMENT_TYPES[kind] };
    case "files":
      return {
        body: toForm(content as Contents["files"]),
        contentType: null,
      };
    default:
      throw new TypeError("documents.create() needs exactly one of html, markdown, zip and files.");
  }
}

function toForm(files: Contents["files"]): FormData {
  const form = new FormData();
  for (const [path, content] of Object.entries(files)) {
    // forms change it to %22
    if (path.includes('"')) throw invalidPath(path);
    form.append("files", new Blob([content as string | Uint8Array<ArrayBuffer> | Blob]), path);
  }
  return form;
}

function invalidPath(path: string): Error {
  const fault = 'must have a path without "; upload a ZIP file instead';
  return refusedParameters({
    code: "validation_failed",
    message: `${path} ${fault}`,
    errors: { [path]: [fault] },
  });
}
