import type { Express } from "express";
import { redirect, type HttpResponse } from "../requests/response.ts";
import { addFixedResponse } from "./add-endpoint.ts";

export interface ConsoleFile {
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Whether the name contains a hash of the content, so caches can store the file forever. */
  readonly isImmutable: boolean;
}

/** The files of `@snap/console`. */
export interface ConsoleSite {
  /** Files by path relative to `/console/`; `""` is the page. */
  readonly files: ReadonlyMap<string, ConsoleFile>;
  readonly contentSecurityPolicy: string;
}

const CONSOLE_PATH = "/console";

/** Serves only the given files. */
export function addConsole(app: Express, { files, contentSecurityPolicy }: ConsoleSite): void {
  addFixedResponse(app, { path: CONSOLE_PATH }, redirect("console/"));
  for (const [path, file] of files)
    addFixedResponse(
      app,
      { path: `${CONSOLE_PATH}/${path}`, label: path === "" ? "/console/" : "/console/{file}" },
      fileResponse(file, contentSecurityPolicy),
    );
}

function fileResponse({ contentType, body, isImmutable }: ConsoleFile, policy: string): HttpResponse {
  return {
    status: 200,
    headers: {
      "Content-Type": contentType,
      "Cache-Control": isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
      "Content-Security-Policy": policy,
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Referrer-Policy": "no-referrer",
    },
    body,
  };
}
