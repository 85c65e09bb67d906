import type { Ability } from "@snap/engine";
import { REQUEST_HEADERS, SECRET_NAMES, toQuery } from "@snap/protocol";
import { SUBMISSION_EXAMPLE } from "./batch-schemas.ts";
import { CAPTURE_EXAMPLES } from "./captures.ts";
import { UPLOAD_EXAMPLE } from "./documents.ts";
import { documentedParameters, PROOF_PARAMETERS } from "./parameters.ts";

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

interface PostmanRequest {
  readonly name: string;
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

/**
 * Generates the collection that `/v1/postman.json` serves: one request per use case, with all other parameters of its
 * mode listed but disabled.
 *
 * @param publicUrl - The origin that clients use, without a trailing slash.
 */
export function postmanCollection(publicUrl: string): PostmanCollection {
  return {
    info: {
      name: "snap",
      description: "Renders web pages to images and PDFs. Set the variable `token`, then send a request.",
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{token}}", type: "string" }] },
    variable: [
      { key: "baseUrl", value: `${publicUrl}/v1`, type: "string" },
      { key: "token", value: "", type: "string" },
    ],
    item: [
      renderRequest("Screenshot", "screenshot", { url: EXAMPLE_URL }),
      renderRequest("Full page", "screenshot", { url: EXAMPLE_URL, fullPage: "true", format: "webp" }),
      renderRequest("PDF", "pdf", { url: EXAMPLE_URL, pdf: "true", paperFormat: "a4" }),
      signedRequest({ url: EXAMPLE_URL }),
      postRequest("HTML to PDF", "captures", {
        description:
          "Returns the file itself. The body has the parameters of a screenshot or a PDF, and exactly one of `url`, `html` and `markdown`. Costs one credit; an identical repeat is free.",
        body: CAPTURE_EXAMPLES.invoice.value,
      }),
      postRequest("Submit a batch", "renders", {
        description:
          "Queues the captures and returns 202 immediately. Add `webhookUrl` next to `items` to get a webhook when they are done. For 24 hours, the same submission with the same `Idempotency-Key` returns the same batch.",
        header: { key: REQUEST_HEADERS.idempotencyKey, value: "{{$guid}}" },
        body: SUBMISSION_EXAMPLE,
      }),
      plainRequest("List batches", "renders", { description: "Your account's batches, newest first." }),
      batchRequest("Poll a batch", {
        method: "GET",
        path: [],
        description: "Costs nothing. Set `id` to the id that the submission returned.",
      }),
      batchRequest("Webhook deliveries", {
        method: "GET",
        path: ["deliveries"],
        description: "The attempts to deliver a batch's webhook, newest first.",
      }),
      batchRequest("Send a webhook again", {
        method: "POST",
        path: ["deliveries"],
        description: "Sends it with the same id and a new signature.",
      }),
      uploadRequest(),
      plainRequest("Usage", "usage", { description: "Credits, plan, period and limits; costs nothing." }),
      plainRequest("OpenAPI description", "openapi.json", {
        description: "Needs no token.",
        auth: { type: "noauth" },
      }),
      plainRequest("This collection", "postman.json", {
        description: "Needs no token.",
        auth: { type: "noauth" },
      }),
    ],
  };
}

function plainRequest(
  name: string,
  path: string,
  about: Pick<PostmanRequest["request"], "description" | "auth">,
): PostmanRequest {
  return {
    name,
    request: {
      method: "GET",
      ...about,
      url: { raw: `{{baseUrl}}/${path}`, host: ["{{baseUrl}}"], path: [path] },
    },
  };
}

function postRequest(
  name: string,
  path: string,
  {
    description,
    header,
    body,
  }: { readonly description: string; readonly header?: PostmanHeader; readonly body: object },
): PostmanRequest {
  return {
    name,
    request: {
      method: "POST",
      description,
      header: [{ key: "Content-Type", value: "application/json" }, ...(header === undefined ? [] : [header])],
      body: {
        mode: "raw",
        raw: JSON.stringify(body, null, 2),
        options: { raw: { language: "json" } },
      },
      url: { raw: `{{baseUrl}}/${path}`, host: ["{{baseUrl}}"], path: [path] },
    },
  };
}

function uploadRequest(): PostmanRequest {
  return {
    name: "Upload a document",
    request: {
      method: "POST",
      description: "Stores the page, and returns the `url` to render it with. Costs nothing.",
      header: [{ key: "Content-Type", value: "text/html" }],
      body: { mode: "raw", raw: UPLOAD_EXAMPLE, options: { raw: { language: "html" } } },
      url: { raw: "{{baseUrl}}/documents", host: ["{{baseUrl}}"], path: ["documents"] },
    },
  };
}

function batchRequest(
  name: string,
  {
    method,
    path,
    description,
  }: {
    readonly method: PostmanRequest["request"]["method"];
    readonly path: readonly string[];
    readonly description: string;
  },
): PostmanRequest {
  const segments = ["renders", ":id", ...path];
  return {
    name,
    request: {
      method,
      description,
      url: {
        raw: `{{baseUrl}}/${segments.join("/")}`,
        host: ["{{baseUrl}}"],
        path: segments,
        variable: [{ key: "id", value: "", description: "Id of the batch." }],
      },
    },
  };
}

function renderRequest(name: string, mode: Ability, sent: Readonly<Record<string, string>>): PostmanRequest {
  return queryRequest(name, {
    path: ["snap"],
    description: "Returns the file itself. Costs one credit; an identical repeat is free.",
    query: renderQuery(mode, sent),
  });
}

function signedRequest(sent: Readonly<Record<string, string>>): PostmanRequest {
  const proof = PROOF_PARAMETERS.map(({ name, example, description, required }) => ({
    key: name,
    value: String(example),
    description,
    disabled: !required,
  }));
  return queryRequest("Signed URL", {
    path: ["snap", "signed"],
    description:
      "Sends no bearer token. Replace `tokenId` and `signature` with those of a URL that your server signed; the signature covers every parameter.",
    auth: { type: "noauth" },
    query: [...renderQuery("screenshot", sent).filter(({ key }) => !SECRET_NAMES.has(key)), ...proof],
  });
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

function queryRequest(
  name: string,
  {
    path,
    query,
    ...about
  }: Pick<PostmanRequest["request"], "description" | "auth"> & {
    readonly path: readonly string[];
    readonly query: readonly PostmanQueryEntry[];
  },
): PostmanRequest {
  const enabled = new URLSearchParams();
  for (const { key, value, disabled } of query) if (!disabled) enabled.append(key, value);
  const raw = `{{baseUrl}}/${path.join("/")}?${enabled.toString()}`;
  return {
    name,
    request: { method: "GET", ...about, url: { raw, host: ["{{baseUrl}}"], path, query } },
  };
}
