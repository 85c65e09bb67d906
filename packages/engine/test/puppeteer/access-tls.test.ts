// @module-tag browser

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../../testing/test/servers/certificate.ts";
import { createPuppeteerRenderer, findBrowser } from "../../src/puppeteer/index.ts";
import type { Renderer } from "../../src/ports/renderer.ts";
import { openEchoSite, redirectTo, type EchoSite } from "./echo-site.ts";
import { required, screenshot } from "./setup.ts";
import { TO_LOOPBACK } from "./trap.ts";

const ACCESS = {
  headers: { "X-Secret": "s3cr3t" },
  cookies: [{ name: "session", value: "s3cr3t" }],
  basicAuth: "ada:s3cr3t",
};
const TLS = makeCertificate({
  names: [{ kind: "dns", name: "own.example" }],
  validUntil: new Date(Date.now() + 86_400_000),
});

const directory = mkdtempSync(join(tmpdir(), "snap-access-"));
let renderer: Renderer;

beforeAll(async () => {
  const executablePath = join(directory, "browser");
  const browser = required(await findBrowser(), "browser");
  writeFileSync(executablePath, `#!/bin/sh\nexec ${browser} --ignore-certificate-errors "$@"\n`);
  chmodSync(executablePath, 0o755);
  chmodSync(directory, 0o755);
  const loopback = { kind: "cidr", address: "127.0.0.1", prefixLength: 32, port: null } as const;
  const targets = { allow: [loopback], ownHostnames: [] };
  renderer = createPuppeteerRenderer({ targets, resolver: TO_LOOPBACK, executablePath });
});

afterAll(async () => {
  await renderer.close();
  rmSync(directory, { recursive: true });
});

/** Returns the secret fields of each request for a path. */
function secretsOf({ headersOf }: EchoSite, path: string): object[] {
  return headersOf(path).map((headers) => {
    const secret = Object.entries(headers).filter(([name]) => SECRET_FIELDS.has(name));
    return Object.fromEntries(secret);
  });
}

const SECRET_FIELDS = new Set(["x-secret", "authorization", "cookie"]);
const ALL = { "x-secret": "s3cr3t", authorization: "Basic YWRhOnMzY3IzdA==", cookie: "session=s3cr3t" };

describe("headers, cookies and basicAuth over TLS", () => {
  it("reach the page, and are not sent without TLS after a redirect", async () => {
    const plain = await openEchoSite(() => ({}));
    const own = await openEchoSite(
      () => ({ "/": redirectTo(`http://own.example:${plain.port}/plain`) }),
      TLS,
    );
    await renderer.render(screenshot(`https://own.example:${own.port}/`, ACCESS));
    expect(secretsOf(own, "/")).toEqual([ALL]);
    expect(secretsOf(plain, "/plain")).toEqual([{}]);
  });

  it("are not sent over TLS after a redirect from HTTP, except for the host's cookies", async () => {
    const secure = await openEchoSite(() => ({}), TLS);
    const own = await openEchoSite(() => ({ "/": redirectTo(`https://own.example:${secure.port}/secure`) }));
    await renderer.render(screenshot(`http://own.example:${own.port}/`, ACCESS));
    expect(secretsOf(own, "/")).toEqual([ALL]);
    expect(secretsOf(secure, "/secure")).toEqual([{ cookie: "session=s3cr3t" }]);
  });

  it("are not sent to another site through a service worker", async () => {
    const third = await openEchoSite(() => ({}), TLS);
    const other = `https://third.example:${third.port}`;
    const own = await openEchoSite(
      () => ({
        "/": `<script>(async () => {
          await navigator.serviceWorker.register("/service.js");
          if (!navigator.serviceWorker.controller)
            await new Promise((resolve) => { navigator.serviceWorker.oncontrollerchange = resolve; });
          await Promise.allSettled([fetch("/through"), fetch("${other}/through"), fetch("/redirect")]);
          document.body.append(Object.assign(document.createElement("i"), { id: "done" }));
        })()</script>`,
        "/service.js": `
          oninstall = (event) => event.waitUntil(Promise.allSettled([fetch("${other}/from-service"), fetch("/from-service")]));
          onactivate = (event) => event.waitUntil(clients.claim());
          onfetch = (event) => event.respondWith(fetch(event.request));`,
        "/redirect": redirectTo(`${other}/redirected`),
      }),
      TLS,
    );
    const parameters = { ...ACCESS, waitForSelector: "#done" };
    await renderer.render(screenshot(`https://own.example:${own.port}/`, parameters));
    for (const path of ["/from-service", "/through", "/redirected"])
      expect([path, ...secretsOf(third, path)]).toEqual([path, {}]);
    for (const path of ["/from-service", "/through", "/redirect"])
      expect([path, ...secretsOf(own, path)]).toMatchObject([path, { cookie: "session=s3cr3t" }]);
  });
});
