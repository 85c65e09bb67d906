import type { DocumentContent, DocumentUpload } from "@snap/engine";
import { DOCUMENT_LIMITS, DOCUMENT_TYPES } from "@snap/protocol";
import type { IncomingMessage } from "node:http";
import type { BodyMemory } from "../requests/body-budget.ts";
import { invalidBody, readBody, requireUncompressed } from "../requests/request-body.ts";
import { readMultipart } from "./read-multipart.ts";
import { readZip } from "./read-zip.ts";

/**
 * Returns an upload whose body is received and unpacked later. `receive` throws like `readBody`;
 * `unpack` throws SnapError `validation_failed` with `errors.body` for a body that is compressed,
 * declared with a charset other than UTF-8, or not declared as one of the four types, and otherwise
 * like `readZip` and `readMultipart`.
 */
export function uploadOf(request: IncomingMessage, memory: BodyMemory): DocumentUpload {
  return {
    receive: () => readBody(request, { maxBytes: DOCUMENT_LIMITS.uploadBytes, memory }),
    unpack: (body) => unpack(body, request.headers),
  };
}

async function unpack(body: Buffer, headers: IncomingMessage["headers"]): Promise<DocumentContent> {
  requireUncompressed(headers);
  const { "content-type": declared = "" } = headers;
  const type = declared.split(";", 1)[0]?.trim().toLowerCase();
  requireUtf8(declared);
  switch (type) {
    case DOCUMENT_TYPES.html:
      return { html: body };
    case DOCUMENT_TYPES.markdown:
      return { markdown: body };
    case DOCUMENT_TYPES.zip:
      return { files: await readZip(body), contentType: type };
    case DOCUMENT_TYPES.multipart:
      return { files: await readMultipart(body, declared), contentType: type };
    case undefined:
    default:
      throw invalidBody(`must be sent with Content-Type: ${Object.values(DOCUMENT_TYPES).join(", ")}`);
  }
}

function requireUtf8(contentType: string): void {
  const charset = /;[ \t]*charset[ \t]*=[ \t]*"?([^";]*)/i.exec(contentType)?.[1]?.trim();
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw invalidBody("must be encoded as UTF-8; send the charset utf-8, or none");
}
