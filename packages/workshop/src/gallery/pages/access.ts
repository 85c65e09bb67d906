import type { IncomingMessage } from "node:http";
import { at, picture, without, type Entry, type Group, type PictureParameters } from "../entry.ts";
import { html } from "../html.ts";
import { GREEN, RED } from "../palette.ts";
import { sendHtml, type Handler } from "../site.ts";

const panel = (title: string, color: string): string =>
  html({
    style: `.panel { margin: 40px 20px; height: 160px; background: ${color}; }`,
    body: `<h1>${title}</h1><div class="panel"></div>`,
  });
const MEMBERS = panel("Members", GREEN);
const SIGN_IN = panel("Sign in", RED);

/** Serves the members' page to authorized requests, and the sign-in page with status 401 to others. */
function membersOnly(
  isAuthorized: (headers: IncomingMessage["headers"]) => boolean,
  challenge: Readonly<Record<string, string>> = {},
): Handler {
  return ({ headers }, response) => {
    if (isAuthorized(headers)) return sendHtml(response, MEMBERS);
    for (const [name, value] of Object.entries(challenge)) response.setHeader(name, value);
    sendHtml(response, SIGN_IN, 401);
  };
}

function loginEntry(entry: Omit<Entry, "before" | "after">, parameters: PictureParameters): Entry {
  return {
    ...entry,
    before: picture({}, at(200, 150, RED), without(GREEN)),
    after: picture(parameters, at(200, 150, GREEN), without(RED)),
  };
}

export const ACCESS: Group = {
  title: "Behind a login",
  entries: [
    loginEntry(
      {
        name: "login-by-header",
        title: "A header",
        about: "A preview that the server returns for requests with a custom header.",
        page: membersOnly((headers) => headers["x-preview"] === "letmein"),
      },
      { headers: { "X-Preview": "letmein" } },
    ),
    loginEntry(
      {
        name: "login-by-cookie",
        title: "A cookie",
        about: "A page for visitors with a session.",
        page: membersOnly(({ cookie = "" }) => cookie.split("; ").includes("session=letmein")),
      },
      { cookies: [{ name: "session", value: "letmein" }] },
    ),
    loginEntry(
      {
        name: "login-by-password",
        title: "Basic authentication",
        about: "A page that requires a user name and password.",
        page: membersOnly(({ authorization }) => authorization === `Basic ${btoa("user:letmein")}`, {
          "www-authenticate": `Basic realm="members"`,
        }),
      },
      { basicAuth: "user:letmein" },
    ),
  ],
};
