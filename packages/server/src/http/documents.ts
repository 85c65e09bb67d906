import { SnapError, type Engine } from "@snap/engine";
import { FaultList, suggestName } from "@snap/protocol";
import { uploadOf } from "../documents/read-upload.ts";
import { queryTextOf } from "../requests/request-target.ts";
import { json } from "../requests/response.ts";
import type { BearerEndpoint } from "./bearer.ts";
import { idOf } from "./endpoints.ts";

/** `POST /documents`. Only an authenticated caller can make the service read a body. */
export function uploadDocument(engine: Engine, { baseUrl }: { readonly baseUrl: string }): BearerEndpoint {
  return async ({ request, principal }) => {
    const ttlSeconds = readTtl(queryTextOf(request.url));
    const content = uploadOf(request);
    const document = await engine.documents.create({ principal, content, ttlSeconds });
    const created = json(document, "no-store", 201);
    return { ...created, headers: { ...created.headers, Location: `${baseUrl}/documents/${document.id}` } };
  };
}

/** `GET /documents/{id}`. */
export function getDocument(engine: Engine): BearerEndpoint {
  return async ({ request, principal }) =>
    json(await engine.documents.find({ principal, id: idOf(request.url) }));
}

/** `DELETE /documents/{id}`. */
export function deleteDocument(engine: Engine): BearerEndpoint {
  return async ({ request, principal }) => {
    await engine.documents.delete({ principal, id: idOf(request.url) });
    return { status: 204, headers: { "Cache-Control": "no-store" } };
  };
}

const TTL = "documentTtl";

/** Returns `undefined` if it was not sent, and `NaN` if it is not a number, which the engine rejects. */
function readTtl(query: string): number | undefined {
  const sent = new URLSearchParams(query);
  const faults = new FaultList();
  for (const name of sent.keys()) {
    const hint = suggestName(name, [TTL]) === null ? "" : `; did you mean ${TTL}?`;
    if (name !== TTL) faults.add(name, `is not a parameter of an upload${hint}`);
    else if (sent.getAll(TTL).length > 1) faults.add(TTL, "must be sent only once");
  }
  const failure = faults.toFailure();
  if (failure !== null) throw new SnapError("validation_failed", failure.message, { errors: failure.errors });
  const text = sent.get(TTL);
  if (text === null) return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : NaN;
}
