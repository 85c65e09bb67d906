import { SnapError, type Engine } from "@snap/engine";
import { CONTENT_TYPES, parseTarget, requestNotFound } from "@snap/engine/internals";
import type { HistoryEntry } from "@snap/engine/ports";
import * as z from "zod";
import { dateTime, flag, id, numericId, oneOf, paging, text } from "../../requests/fields.ts";
import { fileHeaders } from "../../requests/file-headers.ts";
import { toAdminRequest } from "../json-bodies.ts";
import { toAdminList, pageRequestOf } from "../lists.ts";
import { AdminResponse, route } from "../route.ts";
import { CODES } from "../schemas/batches.ts";
import { listOf } from "../schemas/lists.ts";
import { ENTRY_POINTS, historyEntry } from "../schemas/requests.ts";

const CACHE = { HIT: "hit", MISS: "miss", BYPASS: "bypass" } as const;

const requestFilter = z.strictObject({
  ...paging,
  account: id().optional().meta({ description: "Only requests of the account with this id." }),
  token: numericId().optional().meta({ description: "Only requests that used the token with this id." }),
  entry_point: oneOf(...ENTRY_POINTS)
    .optional()
    .meta({ description: "Only requests through this entry point." }),
  mode: oneOf("screenshot", "pdf").optional().meta({ description: "Only requests in this mode." }),
  host: text({ max: 253 }).optional().meta({ description: "Only requests for pages on exactly this host." }),
  code: oneOf(...CODES)
    .optional()
    .meta({ description: "Only requests that failed with this code." }),
  failed: flag().optional().meta({ description: "Only requests that did, or did not, fail." }),
  cache: oneOf("HIT", "MISS", "BYPASS")
    .optional()
    .meta({ description: "Only requests with this `X-Cache`; `BYPASS` selects requests with `cache=0`." }),
  request_id: id().optional().meta({ description: "Only the request with this `X-Request-Id`." }),
  since: dateTime().optional().meta({ description: "Only requests that finished at or after this instant." }),
  until: dateTime().optional().meta({ description: "Only requests that finished before this instant." }),
});

export const REQUEST_ROUTES = [
  route({
    method: "get",
    path: "/requests",
    operationId: "listRequests",
    tag: "Requests",
    summary: "List requests, newest first",
    description:
      "Each capture, charged or not, is listed about a second after its response, and stored for `SNAP_HISTORY`. Each process lists at most 50 cache hits and 50 failures per second, and 25 of each for one account.",
    query: requestFilter,
    response: listOf(historyEntry),
    async handle({ engine, query }) {
      const { cache, since, until } = query;
      const page = await engine.history.page({
        ...pageRequestOf(query),
        accountId: query.account,
        tokenId: query.token,
        entryPoint: query.entry_point,
        mode: query.mode,
        host: query.host === undefined ? undefined : hostnameOf(query.host),
        code: query.code,
        isFailure: query.failed,
        cache: cache && CACHE[cache],
        requestId: query.request_id,
        since: since === undefined ? undefined : Date.parse(since),
        until: until === undefined ? undefined : Date.parse(until),
      });
      return toAdminList(page, toAdminRequest);
    },
  }),
  route({
    method: "get",
    path: "/requests/{id}",
    operationId: "getRequest",
    tag: "Requests",
    summary: "Show a request",
    response: historyEntry,
    handle: async ({ engine, id: requestId }) => toAdminRequest(await findRequest(engine, requestId)),
  }),
  route({
    method: "get",
    path: "/requests/{id}/rendering",
    operationId: "getRendering",
    tag: "Requests",
    summary: "Fetch a request's rendering",
    description: "Returns the file while it is cached. Costs no credit.",
    media: CONTENT_TYPES,
    async handle({ engine, id: requestId }) {
      const rendering = await engine.history.rendering(await findRequest(engine, requestId));
      if (rendering === null)
        throw new SnapError("not_found", "The rendering of this request is not cached.");
      const headers = {
        ETag: rendering.etag,
        "Cross-Origin-Resource-Policy": "same-origin",
        ...fileHeaders(rendering),
      };
      return new AdminResponse({ status: 200, headers, body: rendering.bytes });
    },
  }),
];

async function findRequest({ history }: Engine, requestId: string): Promise<HistoryEntry> {
  const entry = await history.find(requestId);
  if (entry === null) throw requestNotFound(requestId);
  return entry;
}

/** Returns a host as the history stores it: lowercase, in Punycode, and without a port, brackets and final dots. */
function hostnameOf(host: string): string {
  return parseTarget(`http://${host}`)?.hostname ?? host;
}
