import type { Request } from "express";
import { readAsset } from "../read-asset.ts";
import type { HttpResponse } from "../requests/response.ts";
import { createDemoPage, type DemoAccess } from "./demo-page.ts";

export interface StartPageOptions {
  readonly hasConsole: boolean;
  readonly demo: DemoAccess | null;
}

const CONSOLE_LINK = '<li><a href="console/">Console</a> for operators and token holders</li>';

/** Returns the page at `/`: a form that renders, and the command for the same request. */
export function createStartPage({ hasConsole, demo }: StartPageOptions): (request: Request) => HttpResponse {
  const template = readAsset("start/index.html")
    .toString()
    .replace("{{console}}", hasConsole ? CONSOLE_LINK : "");
  return createDemoPage(template, demo);
}
