import type { Engine } from "@snap/engine";
import type { Request } from "express";
import * as z from "zod";
import { checkBody, readQuery, type FieldsSchema } from "../requests/read-input.ts";
import { json, type HttpResponse } from "../requests/response.ts";
import type { AdminService } from "./admin-service.ts";
import type { Operator } from "./authenticate.ts";
import type { AdminOperations } from "./operations/operations.ts";

export const ADMIN_BASE = "/admin/v1";

/** Groups of operations in the OpenAPI description. */
export type AdminTag = "Service" | "Accounts" | "Tokens" | "Requests" | "Batches" | "Usage" | "Session";

/** Passed to every route. The audit log records the changes made through `engine` and `operations`. */
interface CallContext {
  /** The value of `{id}` in the path; `""` without one. */
  readonly id: string;
  readonly engine: Engine;
  readonly operations: AdminOperations;
  readonly service: AdminService;
  readonly operator: Operator;
  readonly request: Request;
}

/** A request to a route, before its parameters are checked. */
export interface AdminCall extends CallContext {
  readonly rawQuery: string;
  /** `undefined` if the request has no body. */
  readonly body: unknown;
}

interface CheckedCall<Query extends FieldsSchema, Body extends FieldsSchema> extends CallContext {
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
}

interface RouteFacts {
  readonly method: "get" | "post" | "patch" | "delete";
  readonly operationId: string;
  readonly tag: AdminTag;
  readonly summary: string;
  readonly description?: string;
  /** Status of the response; 200 by default. */
  readonly status?: 201 | 202 | 204;
  /** Schema of the response document; absent if the response is not a document. */
  readonly response?: z.ZodType;
  /** Media types of a response that is not a document. */
  readonly media?: readonly string[];
  /** Whether it needs no credentials. */
  readonly isPublic?: true;
  /** Whether it exists only if the console is on. */
  readonly needsConsole?: true;
}

interface RouteDefinition<Query extends FieldsSchema, Body extends FieldsSchema> extends RouteFacts {
  /** Relative to `/admin/v1`. */
  readonly path: `/${string}`;
  /** By default, the query must be empty. */
  readonly query?: Query;
  /** By default, no fields are accepted. Only POST and PATCH read the body. */
  readonly body?: Body;
  /** Name in the audit log of a route that changes something: the equivalent command. */
  readonly command?: string;
  /** Returns the response document, or an `AdminResponse`. */
  readonly handle: (call: CheckedCall<Query, Body>) => Promise<object>;
}

/** One method of one path, from which routing, validation and the description are derived. */
export interface AdminRoute extends RouteFacts {
  /** Includes `/admin/v1`. */
  readonly path: string;
  readonly query: FieldsSchema;
  readonly body: FieldsSchema;
  readonly command: string;
  readonly handle: (call: AdminCall) => Promise<HttpResponse>;
}

const NO_FIELDS = z.strictObject({});

export function route<
  Query extends FieldsSchema = typeof NO_FIELDS,
  Body extends FieldsSchema = typeof NO_FIELDS,
>(definition: RouteDefinition<Query, Body>): AdminRoute {
  const { path, method, command = `${method.toUpperCase()} ${path}`, status = 200, handle } = definition;
  // if the schema is absent, its type parameter has the default
  const { query = NO_FIELDS as FieldsSchema as Query, body = NO_FIELDS as FieldsSchema as Body } = definition;
  return {
    ...definition,
    path: `${ADMIN_BASE}${path}`,
    query,
    body,
    command,
    async handle(call) {
      const checked = { query: readQuery(query, call.rawQuery), body: checkBody(body, call.body) };
      const result = await handle({ ...call, ...checked });
      return result instanceof AdminResponse ? result : json(result, { status });
    },
  };
}

/** A response that is not a JSON document. */
export class AdminResponse implements HttpResponse {
  readonly status: number;
  readonly headers: HttpResponse["headers"];
  readonly body?: string | Uint8Array;

  constructor({ status, headers, body }: HttpResponse) {
    this.status = status;
    this.headers = { "Cache-Control": "no-store", ...headers };
    if (body !== undefined) this.body = body;
  }
}
