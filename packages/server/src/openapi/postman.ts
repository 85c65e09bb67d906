import type { Ability } from "@snap/engine";
import { isUnsignable, REQUEST_HEADERS, toQuery } from "@snap/protocol";
import { SUBMISSION_EXAMPLE } from "./batch-schemas.ts";
import { CAPTURE_EXAMPLES } from "./captures.ts";
import { UPLOAD_EXAMPLE } from "./documents.ts";
import { documentedParameters, SIGNED_URL_PARAMETERS } from "./parameters.ts";

interface PostmanQueryEntry {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  readonly disabled: boolean;
}

interface PostmanHeader {
  readonly key: string;
  readonly value: string;
}

/** A script that Postman runs before the request, or after its response. */
interface PostmanEvent {
  readonly listen: "prerequest" | "test";
  readonly script: { readonly type: "text/javascript"; readonly exec: readonly string[] };
}

interface PostmanRequest {
  readonly name: string;
  readonly event?: readonly PostmanEvent[];
  readonly request: {
    readonly method: "GET" | "POST";
    readonly description: string;
    readonly auth?: { readonly type: "noauth" };
    readonly header?: readonly PostmanHeader[];
    readonly body?: {
      readonly mode: "raw";
      readonly raw: string;
      readonly options: { readonly raw: { readonly language: "html" | "json" } };
    };
    readonly url: {
      readonly raw: string;
      readonly host: readonly string[];
      readonly path: readonly string[];
      readonly query?: readonly PostmanQueryEntry[];
      /** Values for the segments of `path` that start with a colon. */
      readonly variable?: readonly {
        readonly key: string;
        readonly value: string;
        readonly description: string;
      }[];
    };
  };
}

/** A Postman collection, format 2.1. */
export interface PostmanCollection {
  readonly info: {
    readonly name: string;
    readonly description: string;
    readonly schema: string;
  };
  readonly auth: {
    readonly type: "bearer";
    readonly bearer: readonly { readonly key: string; readonly value: string; readonly type: "string" }[];
  };
  readonly variable: readonly { readonly key: string; readonly value: string; readonly type: "string" }[];
  readonly item: readonly PostmanRequest[];
}

const EXAMPLE_URL = "https://example.com/";

const JSON_TYPE = { key: "Content-Type", value: "application/json" };
const BATCH_ID = [{ key: "id", value: "{{batchId}}", description: "Id of the batch." }];

/** Signs the parameters that are enabled, with the variables `token` and `signingSecret`. */
const SIGN_SCRIPT = `const encode = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
const secret = pm.variables.get("signingSecret");
if (!secret) throw new Error("Set the variable signingSecret: snap-server tokens reveal ID prints it.");
const id = /^(\\d+)\\|/.exec(pm.variables.get("token") || "");
if (!id) throw new Error("Set the variable token to one of the form id|secret; only such a token can sign URLs.");
pm.variables.set("tokenId", id[1]);
const sent = pm.request.url.query.filter(({ key, disabled }) => !disabled && key !== "signature");
for (const pair of sent) pair.value = encode(pm.variables.replaceIn(pair.value));
sent.sort((a, b) => (a.key < b.key ? -1 : 1));
const query = sent.map(({ key, value }) => key + "=" + value).join("&");
pm.variables.set("signature", CryptoJS.HmacSHA256("snap-signed-v1\\n" + query, secret).toString());`;

/** Stores a field of the response in a variable, for the requests that follow. */
const remember = (variable: string, field: string): string =>
  `if (pm.response.code < 300) pm.collectionVariables.set("${variable}", pm.response.json().${field});`;

/**
 * Generates the collection that `/v1/postman.json` serves: one request per use case. Those of
 * `GET /snap` list all other parameters of their mode, disabled.
 *
 * @param publicUrl - The origin that clients use, without a trailing slash.
 */
export function postmanCollection(publicUrl: string): PostmanCollection {
  return {
    info: {
      name: "snap",
      description:
        "Renders web pages to images and PDFs. Set the variable `token`, then send a request. For signed URLs, also set `signingSecret`.",
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{token}}", type: "string" }] },
    variable: [
      { key: "baseUrl", value: `${publicUrl}/v1`, type: "string" },
      { key: "token", value: "", type: "string" },
      { key: "signingSecret", value: "", type: "string" },
      { key: "batchId", value: "", type: "string" },
      { key: "documentUrl", value: "", type: "string" },
    ],
    item: [
      renderRequest("Screenshot", "screenshot", { url: EXAMPLE_URL }),
      renderRequest("Full page", "screenshot", { url: EXAMPLE_URL, fullPage: "true", format: "webp" }),
      renderRequest("PDF", "pdf", { url: EXAMPLE_URL, pdf: "true", paperFormat: "a4" }),
      signedRequest({ url: EXAMPLE_URL }),
      postmanRequest("HTML to PDF", {
        method: "POST",
        path: "captures",
        description:
          "Returns the file itself. The body has the parameters of a screenshot or a PDF, and exactly one of `url`, `html` and `markdown`. Costs one credit; an identical repeat is free.",
        header: [JSON_TYPE],
        body: jsonBody(CAPTURE_EXAMPLES.invoice.value),
      }),
      ...batchRequests(),
      {
        ...postmanRequest("Upload a document", {
          method: "POST",
          path: "documents",
          description: "Stores the page, and returns the `url` to render it with. Costs nothing.",
          header: [{ key: "Content-Type", value: "text/html" }],
          body: { mode: "raw", raw: UPLOAD_EXAMPLE, options: { raw: { language: "html" } } },
        }),
        event: [event("test", remember("documentUrl", "url"))],
      },
      renderRequest("Render the document", "pdf", { url: "{{documentUrl}}", pdf: "true" }),
      postmanRequest("Usage", {
        path: "usage",
        description: "Credits, plan, period and limits; costs nothing.",
      }),
      postmanRequest("OpenAPI description", {
        path: "openapi.json",
        description: "Needs no token.",
        auth: { type: "noauth" },
      }),
      postmanRequest("This collection", {
        path: "postman.json",
        description: "Needs no token.",
        auth: { type: "noauth" },
      }),
    ],
  };
}

function batchRequests(): readonly PostmanRequest[] {
  return [
    {
      ...postmanRequest("Submit a batch", {
        method: "POST",
        path: "renders",
        description:
          "Queues the captures and returns 202 immediately. Add `webhookUrl` next to `items` to get a webhook when they are done. For 24 hours, the same submission with the same `Idempotency-Key` returns the same batch. Stores the id for the next requests.",
        header: [JSON_TYPE, { key: REQUEST_HEADERS.idempotencyKey, value: "{{$guid}}" }],
        body: jsonBody(SUBMISSION_EXAMPLE),
      }),
      event: [event("test", remember("batchId", "id"))],
    },
    postmanRequest("List batches", {
      path: "renders",
      description: "Your account's batches, newest first.",
    }),
    postmanRequest("Poll a batch", {
      path: "renders/:id",
      description: "Costs nothing. `id` is the batch that was submitted last.",
      variable: BATCH_ID,
    }),
    postmanRequest("Webhook deliveries", {
      path: "renders/:id/deliveries",
      description: "The attempts to deliver a batch's webhook, newest first.",
      variable: BATCH_ID,
    }),
    postmanRequest("Send a webhook again", {
      method: "POST",
      path: "renders/:id/deliveries",
      description: "Sends it with the same id and a new signature.",
      variable: BATCH_ID,
    }),
  ];
}

function renderRequest(name: string, mode: Ability, sent: Readonly<Record<string, string>>): PostmanRequest {
  return postmanRequest(name, {
    path: "snap",
    description: "Returns the file itself. Costs one credit; an identical repeat is free.",
    query: renderQuery(mode, sent),
  });
}

function signedRequest(sent: Readonly<Record<string, string>>): PostmanRequest {
  const signatureEntries = SIGNED_URL_PARAMETERS.map(({ name, example, description, required }) => ({
    key: name,
    value: required ? `{{${name}}}` : String(example),
    description,
    disabled: !required,
  }));
  const request = postmanRequest("Signed URL", {
    path: "snap/signed",
    description:
      "Sends no bearer token. A script signs every parameter that is enabled, with the variables `token` and `signingSecret`.",
    auth: { type: "noauth" },
    query: [...renderQuery("screenshot", sent).filter(({ key }) => !isUnsignable(key)), ...signatureEntries],
  });
  return { ...request, event: [event("prerequest", SIGN_SCRIPT)] };
}

function event(listen: PostmanEvent["listen"], script: string): PostmanEvent {
  return { listen, script: { type: "text/javascript", exec: script.split("\n") } };
}

function renderQuery(mode: Ability, sent: Readonly<Record<string, string>>): readonly PostmanQueryEntry[] {
  return documentedParameters()
    .filter(({ acceptedIn }) => acceptedIn.includes(mode))
    .map(({ name: key, description, example }) => ({
      key,
      value: sent[key] ?? toQuery({ [key]: example }).get(key) ?? "",
      description,
      disabled: !(key in sent),
    }));
}

interface RequestParts
  extends
    Omit<PostmanRequest["request"], "method" | "url">,
    Pick<PostmanRequest["request"]["url"], "query" | "variable"> {
  /** GET by default. */
  readonly method?: PostmanRequest["request"]["method"];
  readonly path: string;
}

function postmanRequest(
  name: string,
  { method = "GET", path, query, variable, ...about }: RequestParts,
): PostmanRequest {
  const raw = `{{baseUrl}}/${path}${query === undefined ? "" : `?${textOf(query)}`}`;
  const parts = { ...(query && { query }), ...(variable && { variable }) };
  return {
    name,
    request: {
      method,
      ...about,
      url: { raw, host: ["{{baseUrl}}"], path: path.split("/"), ...parts },
    },
  };
}

function textOf(query: readonly PostmanQueryEntry[]): string {
  const enabled = new URLSearchParams();
  for (const { key, value, disabled } of query) if (!disabled) enabled.append(key, value);
  // Postman finds its variables only unencoded.
  return enabled.toString().replaceAll(/%7B%7B(\w+)%7D%7D/g, "{{$1}}");
}

function jsonBody(body: object): NonNullable<PostmanRequest["request"]["body"]> {
  return { mode: "raw", raw: JSON.stringify(body, null, 2), options: { raw: { language: "json" } } };
}
