import type { Engine } from "@snap/engine";
import { uploadOf } from "../documents/read-upload.ts";
import type { BodyBudget } from "../requests/body-budget.ts";
import { uploadQuery } from "../requests/fields.ts";
import { readQuery } from "../requests/read-input.ts";
import { rawQueryOf, segmentOf } from "../requests/request-target.ts";
import { json } from "../requests/response.ts";
import type { BearerEndpoint } from "./bearer.ts";

/** `POST /documents`. Only an authenticated caller can make the service hold a body in memory. */
export function uploadDocument(
  engine: Engine,
  { baseUrl, budget }: { readonly baseUrl: string; readonly budget: BodyBudget },
): BearerEndpoint {
  return async ({ request, principal }) => {
    const { documentTtl: ttlSeconds } = readQuery(uploadQuery, rawQueryOf(request.url));
    const memory = budget.open(principal.account.id);
    try {
      const content = uploadOf(request, memory);
      const document = await engine.documents.create({ principal, content, ttlSeconds });
      return json(document, { status: 201, headers: { Location: `${baseUrl}/documents/${document.id}` } });
    } finally {
      memory.release();
    }
  };
}

/** `GET /documents/{id}`. */
export function getDocument(engine: Engine): BearerEndpoint {
  return async ({ request, principal }) =>
    json(await engine.documents.find({ principal, id: segmentOf(request.url, -1) }));
}

/** `DELETE /documents/{id}`. */
export function deleteDocument(engine: Engine): BearerEndpoint {
  return async ({ request, principal }) => {
    await engine.documents.delete({ principal, id: segmentOf(request.url, -1) });
    return { status: 204, headers: { "Cache-Control": "no-store" } };
  };
}
