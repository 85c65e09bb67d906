import { SnapError } from "@snap/engine";
import type { IncomingMessage } from "node:http";
import { HTTP_LIMITS } from "./limits.ts";
import { hasBody } from "./request-body.ts";

/**
 * Calls `onExceeded` if the body arrives in too many pieces, and drops the rest. Each chunk of a chunked body becomes a
 * buffer, and Node reads up to 64 KiB ahead, so this counts the pieces before anything reads the body.
 */
export function limitPieces(request: IncomingMessage, onExceeded: (error: SnapError) => void): void {
  if (!hasBody(request)) return;
  const push = request.push.bind(request);
  let pieces = 0;
  let bytes = 0;
  let isExceeded = false;
  request.push = (piece: Buffer | null) => {
    if (isExceeded) return false;
    if (piece === null) return push(null);
    pieces += 1;
    bytes += piece.length;
    if (pieces <= HTTP_LIMITS.bodyPieces + bytes / HTTP_LIMITS.bytesPerPiece) return push(piece);
    isExceeded = true;
    onExceeded(tooManyPieces());
    return false; // stops reading
  };
}

function tooManyPieces(): SnapError {
  return new SnapError(
    "payload_too_large",
    "Request body sent in too many small pieces; send it in chunks of at least 1 KiB.",
  );
}
