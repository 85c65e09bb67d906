import type { OpenAPIRegistry, ResponseConfig } from "@asteasolutions/zod-to-openapi";
import { generateDocument, type OpenApiDocument } from "../openapi/generate.ts";
import { headerReferences } from "../openapi/headers.ts";
import { binary, CODES, errorResponses } from "../openapi/responses.ts";
import { BUILD } from "../version.ts";
import { ADMIN_BASE, type AdminRoute, type AdminTag } from "./route.ts";

const INTRODUCTION = `The operator's API: everything the console shows and does, for scripts.

- Send the value of \`SNAP_ADMIN_TOKEN\` as a bearer token. The console's pages send a session cookie instead.
- Every error response is the same JSON envelope as in \`/v1\`, with a \`code\` to branch on.
- Lists return \`entries\` and \`has_more\`; send the id of the last entry as \`after\` to get the next page.
- Unknown parameters are rejected. Every change is added to the audit log, which \`snap-server audit\` shows.`;

const TAGS: Readonly<Record<AdminTag, string>> = {
  Service: "The service's state and plans.",
  Accounts: "The service's accounts.",
  Tokens: "An account's tokens.",
  Requests: "The history of requests and their results.",
  Batches: "Batches and the deliveries of their webhooks.",
  Usage: "Totals of requests.",
  Session: "Console sessions.",
};

const ADMIN_TOKEN = {
  type: "http",
  scheme: "bearer",
  description: "The value of `SNAP_ADMIN_TOKEN`.",
} as const;
const SESSION = {
  type: "apiKey",
  in: "cookie",
  name: "snap_session",
  description: "A console session; `__Host-snap_session` behind TLS. Works only on the console's pages.",
} as const;

/** Generates the description at `/admin/v1/openapi.json` from the routes. */
export function adminDocument(publicUrl: string, routes: readonly AdminRoute[]): OpenApiDocument {
  const api = {
    title: "snap: admin API",
    version: BUILD.version,
    description: INTRODUCTION,
    serverUrl: `${publicUrl}${ADMIN_BASE}`,
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    securitySchemes: { adminToken: ADMIN_TOKEN, session: SESSION },
  };
  return generateDocument(api, (registry) => {
    for (const route of routes) registerRoute(registry, route);
  });
}

function registerRoute(registry: OpenAPIRegistry, route: AdminRoute): void {
  const { method, path, operationId, tag, summary, description, query, body, isPublic } = route;
  const hasBody = Object.keys(body.shape).length > 0;
  registry.registerPath({
    method,
    path: path.slice(ADMIN_BASE.length),
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: isPublic === true ? [] : [{ adminToken: [] }, { session: [] }],
    parameters: path.includes("{id}")
      ? [{ name: "id", in: "path", required: true, schema: { type: "string" } }]
      : [],
    request: {
      query,
      ...(hasBody && {
        body: { required: !body.safeParse({}).success, content: { "application/json": { schema: body } } },
      }),
    },
    responses: {
      ...successResponse(route),
      ...errorResponses(isPublic === true ? CODES.signIn : CODES.admin, { bearer: false }),
    },
  });
}

function successResponse({ status, response, media = [] }: AdminRoute): Record<string, ResponseConfig> {
  const content = {
    ...(response !== undefined && { "application/json": { schema: response } }),
    ...Object.fromEntries(media.map((type) => [type, binary])),
  };
  const hasContent = Object.keys(content).length > 0;
  return {
    [String(status ?? 200)]: {
      description: DESCRIPTIONS[status ?? 200],
      headers: headerReferences([]),
      ...(hasContent && { content }),
    },
  };
}

const DESCRIPTIONS: Readonly<Record<200 | 201 | 202 | 204, string>> = {
  200: "Done.",
  201: "Created.",
  202: "Accepted.",
  204: "Done; the response has no body.",
};
