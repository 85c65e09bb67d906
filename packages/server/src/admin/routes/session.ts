import { SnapError } from "@snap/engine";
import * as z from "zod";
import { text } from "../../requests/fields.ts";
import { isoInstant } from "../json-bodies.ts";
import { ownOriginOf } from "../own-origin.ts";
import { AdminResponse, route } from "../route.ts";
import { session } from "../schemas/service.ts";
import { sessionCookie } from "../session-cookie.ts";

export const SESSION_ROUTES = [
  route({
    method: "post",
    path: "/sign-in",
    operationId: "signIn",
    tag: "Session",
    summary: "Start a console session",
    description:
      "Requires the code from a link created by `snap-server console`, which works once and expires after ten minutes. The response sets a cookie that lasts twelve hours.",
    body: z
      .strictObject({
        code: text({ max: 200 }).meta({ description: "The part of the link after `sign-in=`." }),
      })
      .meta({ id: "SignIn" }),
    status: 204,
    isPublic: true,
    needsConsole: true,
    command: "sign-in",
    async handle({ request, service, engine, body }) {
      const started = await engine.operators.signIn(body.code);
      if (started === null)
        throw new SnapError(
          "unauthenticated",
          "The sign-in link is invalid, used or expired; create a new one with `snap-server console`.",
        );
      return cookieResponse(started.session, ownOriginOf(request, service.origin));
    },
  }),
  route({
    method: "delete",
    path: "/sign-in",
    operationId: "signOut",
    tag: "Session",
    summary: "End the session",
    status: 204,
    needsConsole: true,
    command: "sign-out",
    async handle({ request, service, engine, operator }) {
      if (operator.session !== null) await engine.operators.signOut(operator.session.id);
      return cookieResponse(null, ownOriginOf(request, service.origin));
    },
  }),
  route({
    method: "get",
    path: "/session",
    operationId: "getSession",
    tag: "Session",
    summary: "Show the authenticated user",
    response: session,
    handle: ({ operator: { user, session: current } }) =>
      Promise.resolve({ user, expires_at: isoInstant(current?.expiresAt ?? null) }),
  }),
];

function cookieResponse(id: string | null, origin: string): AdminResponse {
  const cookie = sessionCookie(id, origin.startsWith("https:"));
  return new AdminResponse({ status: 204, headers: { "Set-Cookie": cookie } });
}
