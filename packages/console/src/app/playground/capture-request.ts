import { captureQuery } from "@snap/protocol";
import type { Parameters } from "./form.ts";

/** `GET /snap`, or `POST /captures` with a body. */
export interface CaptureRequest {
  readonly url: string;
  /** Empty if there is a body. */
  readonly query: URLSearchParams;
  readonly body: Parameters | null;
}

export function toCaptureRequest(parameters: Parameters, baseUrl: string): CaptureRequest {
  const query = captureQuery(parameters);
  return query === null
    ? { url: `${baseUrl}/captures`, query: new URLSearchParams(), body: parameters }
    : { url: `${baseUrl}/snap`, query, body: null };
}

/** Returns the name of the file that a snippet writes. */
export function fileNameOf({ pdf, output, format = "png" }: Parameters): string {
  if (pdf === true) return "rendering.pdf";
  return `rendering.${format === "jpeg" ? "jpg" : String(output ?? format)}`;
}
