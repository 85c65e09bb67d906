import { DOCUMENT_LIMITS, documentUrl, type StoredDocument } from "@snap/protocol";
import { asSnapError, invalidParameter, SnapError } from "../errors.ts";
import { enforceRateLimit } from "../limits/enforce-rate-limit.ts";
import type { Clock } from "../ports/clock.ts";
import type { DocumentRecord, PutOutcome } from "../ports/documents.ts";
import type { Storage } from "../ports/storage.ts";
import type { Principal } from "../ports/tokens.ts";
import { requireVerifiedEmail } from "../tokens/authorize.ts";
import { createDocument, type DocumentContent } from "./document.ts";
import { Uploads } from "./uploads.ts";

/** Content that is received only after the upload is admitted. Only a few uploads are unpacked at a time. */
export interface DocumentUpload {
  receive(): Promise<Buffer>;
  unpack(body: Buffer): Promise<DocumentContent>;
}

export interface NewDocument {
  readonly principal: Principal;
  readonly content: DocumentContent | DocumentUpload;
  /** 60 to 2,592,000; 86,400 by default. */
  readonly ttlSeconds?: number | undefined;
}

export interface DocumentRequest {
  readonly principal: Principal;
  readonly id: string;
}

/** Documents that accounts upload, and render by their `url`. */
export interface Documents {
  /**
   * Stores a document. Costs no credit. Identical content is stored once, with the later expiry.
   *
   * @throws SnapError `validation_failed`, `payload_too_large`, `email_unverified` or `rate_limited` (60 uploads a
   * minute).
   * @example
   * const { url } = await engine.documents.create({ principal, content: { html: "<h1>Invoice 7</h1>" } });
   * await engine.capture({ principal, parameters: { url, pdf: true } });
   */
  create(request: NewDocument): Promise<StoredDocument>;
  /** @throws SnapError `email_unverified`; `not_found` if it is unknown, has expired or belongs to another account. */
  find(request: DocumentRequest): Promise<StoredDocument>;
  /**
   * Deletes a document. A render that needs one of its files afterwards fails. Throws as `find`
   * does.
   */
  delete(request: DocumentRequest): Promise<void>;
}

export function createDocuments({
  storage: { documents, rateLimiter },
  clock,
}: {
  readonly storage: Pick<Storage, "documents" | "rateLimiter">;
  readonly clock: Clock;
}): Documents {
  const uploads = new Uploads();

  const store = async (
    accountId: string,
    { content, ttlSeconds }: { readonly content: DocumentContent; readonly ttlSeconds: number },
  ): Promise<StoredDocument> => {
    const { id, contentType, files } = await createDocument(content, accountId);
    const bytes = files.reduce((sum, file) => sum + file.bytes.byteLength, 0);
    const storedAt = clock.now();
    const expiresAt = storedAt + ttlSeconds * 1000;
    const outcome = await documents.put({
      document: { accountId, id, contentType, bytes, files: files.length, storedAt, expiresAt },
      files,
      quota: { documents: DOCUMENT_LIMITS.storedDocuments, bytes: DOCUMENT_LIMITS.storedBytes },
    });
    if (!outcome.stored) throw quotaExceeded(outcome);
    return toStoredDocument(outcome.document);
  };

  const create: Documents["create"] = async ({
    principal: { account },
    content,
    ttlSeconds = DOCUMENT_LIMITS.ttlDefaultSeconds,
  }) => {
    requireVerifiedEmail(account);
    requireTtl(ttlSeconds);
    await enforceRateLimit(rateLimiter, { accountId: account.id, name: "upload", now: clock.now() });
    const upload = "receive" in content ? content : inMemory(content);
    return uploads.run(account.id, {
      receive: () => upload.receive(),
      store: async (body) => store(account.id, { content: await upload.unpack(body), ttlSeconds }),
    });
  };
  const find: Documents["find"] = async ({ principal: { account }, id }) => {
    requireVerifiedEmail(account);
    const document = await documents.find({ accountId: account.id, id, now: clock.now() });
    if (document === null) throw notFound();
    return toStoredDocument(document);
  };
  const remove: Documents["delete"] = async ({ principal: { account }, id }) => {
    requireVerifiedEmail(account);
    if (!(await documents.delete({ accountId: account.id, id, now: clock.now() }))) throw notFound();
  };
  return {
    create: (request) => asSnapError(create(request)),
    find: (request) => asSnapError(find(request)),
    delete: (request) => asSnapError(remove(request)),
  };
}

function inMemory(content: DocumentContent): DocumentUpload {
  return { receive: async () => Buffer.alloc(0), unpack: async () => content };
}

function toStoredDocument({ id, contentType, bytes, files, expiresAt }: DocumentRecord): StoredDocument {
  const expires_at = new Date(expiresAt).toISOString();
  return { id, url: documentUrl(id), content_type: contentType, bytes, files, expires_at };
}

function requireTtl(ttlSeconds: number): void {
  const { ttlMinSeconds, ttlMaxSeconds } = DOCUMENT_LIMITS;
  if (Number.isInteger(ttlSeconds) && ttlSeconds >= ttlMinSeconds && ttlSeconds <= ttlMaxSeconds) return;
  throw invalidParameter("documentTtl", `must be an integer from ${ttlMinSeconds} to ${ttlMaxSeconds}`);
}

function quotaExceeded({ exceeded, used }: Extract<PutOutcome, { readonly stored: false }>): SnapError {
  const problem =
    exceeded === "documents"
      ? `would exceed the account's limit of ${DOCUMENT_LIMITS.storedDocuments} stored documents`
      : `would exceed the account's limit of ${DOCUMENT_LIMITS.storedBytes} bytes of stored documents`;
  const stored = `${used.documents} documents (${used.bytes} bytes) are stored`;
  return new SnapError(
    "validation_failed",
    `The document ${problem}: ${stored}; delete some, or wait until some expire. A shorter documentTtl frees space sooner.`,
    { errors: { body: [problem] } },
  );
}

function notFound(): SnapError {
  return new SnapError(
    "not_found",
    "Document not found: the id is unknown, or the document was deleted or has expired.",
  );
}
