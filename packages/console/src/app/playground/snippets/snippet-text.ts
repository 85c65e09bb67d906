import type { Parameters } from "../form.ts";
import { fileNameOf, toCaptureRequest } from "../capture-request.ts";
import { quoteForShell, toPython, toTypeScript } from "./literals.ts";

/*
 * Snippets that send the form's request. None contains the token, because snippets end up in chats
 * and repositories; those that run read it from the environment.
 */

export function curlSnippet(parameters: Parameters, baseUrl: string): string {
  const { url, query, body } = toCaptureRequest(parameters, baseUrl);
  const content =
    body === null
      ? [
          "-G",
          ...Array.from(query, ([name, value]) => `--data-urlencode ${quoteForShell(`${name}=${value}`)}`),
        ]
      : [`-H 'Content-Type: application/json'`, `--data-raw ${quoteForShell(JSON.stringify(body))}`];
  return [
    `curl -fsS -D - ${quoteForShell(url)}`,
    `-H "Authorization: Bearer $SNAP_TOKEN"`,
    ...content,
    `-o ${fileNameOf(parameters)}`,
  ].join(" \\\n  ");
}

export function typeScriptSnippet({ pdf, ...parameters }: Parameters, baseUrl: string): string {
  const method = pdf === true ? "pdf" : "screenshot";
  return `import { writeFile } from "node:fs/promises";
import { createClient } from "@snap/client";

const snap = createClient({ baseUrl: ${JSON.stringify(baseUrl)} });
const { bytes, etag } = await snap.${method}(${toTypeScript(parameters)});
await writeFile("${fileNameOf({ ...parameters, pdf })}", bytes);
console.log(etag);`;
}

export function pythonSnippet(parameters: Parameters, baseUrl: string): string {
  const { url, query, body } = toCaptureRequest(parameters, baseUrl);
  const content =
    body === null
      ? `params=${toPython(Object.fromEntries(query), "    ")}`
      : `json=${toPython(body, "    ")}`;
  return `import os

import requests

response = requests.${body === null ? "get" : "post"}(
    ${JSON.stringify(url)},
    headers={"Authorization": "Bearer " + os.environ["SNAP_TOKEN"]},
    ${content},
    timeout=150,
)
response.raise_for_status()
with open("${fileNameOf(parameters)}", "wb") as file:
    file.write(response.content)
print(response.headers["ETag"])`;
}

/** A Model Context Protocol request, as a client sends it to `/mcp`. */
export function toolCallSnippet({ pdf, ...parameters }: Parameters): string {
  const name = pdf === true ? "create-pdf" : "take-screenshot";
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: parameters } };
  return JSON.stringify(request, null, 2);
}
