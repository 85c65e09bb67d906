import type { StoredRendering } from "@snap/engine/ports";
import type { OutgoingHttpHeaders } from "node:http";

/** Headers of a rendered file. */
export function fileHeaders({ contentType }: Pick<StoredRendering, "contentType">): OutgoingHttpHeaders {
  return {
    "Content-Type": contentType,
    // The PDF viewers of browsers fail under this policy.
    ...(contentType !== "application/pdf" && { "Content-Security-Policy": "default-src 'none'; sandbox" }),
  };
}
