import type { AdminEntryPoint, AdminRequest } from "@snap/protocol";

/* Display names of the API's values. */

export const ENTRY_POINTS: Readonly<Record<AdminEntryPoint, string>> = {
  snap: "GET /snap",
  signed: "Signed URL",
  captures: "POST /captures",
  mcp: "Tool call",
  batch: "Batch",
  engine: "Engine",
};

export function modeText(mode: AdminRequest["mode"]): string {
  return mode === null ? "–" : { screenshot: "Screenshot", pdf: "PDF" }[mode];
}

export function cacheText({ cache, code }: Pick<AdminRequest, "cache" | "code">): string {
  if (code !== null) return "–";
  return cache === null ? "not used" : cache.toLowerCase();
}
