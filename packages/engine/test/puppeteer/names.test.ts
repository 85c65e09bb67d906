// @module-tag browser

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openNameServer, type NameServer } from "../../../testing/test/servers/name-server.ts";
import { createSystemResolver } from "../../src/egress/names/system-resolver.ts";
import type { SnapError } from "../../src/errors.ts";
import type { Renderer } from "../../src/ports/renderer.ts";
import { openRenderer, pdf, screenshot } from "./setup.ts";
import { openSite, redirect, type Site } from "./site.ts";

/** Adds images from that many host names, and runs the script `then` once all have failed. */
const imagesFrom = (names: number, domain: string, then = ""): string => `<body><script>
  const images = Array.from({ length: ${names} }, (_, index) => new Promise((resolve) => {
    Object.assign(new Image(), { src: "http://n" + index + ".${domain}/", onerror: resolve });
  }));
  Promise.all(images).then(() => { ${then} });
</script>`;

let site: Site;
let nameServer: NameServer;
let renderer: Renderer;

beforeAll(async () => {
  site = await openSite({
    "/": "<h1>fine</h1>",
    "/to-gone": redirect("http://gone.example/"),
    "/to-down": redirect("http://down.example/"),
    "/to-silent": redirect("http://n0.silent.example/"),
    "/many-silent": imagesFrom(400, "silent.example"),
    "/many-gone": imagesFrom(210, "gone.example", "location = 'http://one-more.gone.example/'"),
  });
  nameServer = await openNameServer(({ name }) => {
    if (name.endsWith("gone.example")) return "NXDOMAIN";
    if (name === "down.example") return "SERVFAIL";
    return name.endsWith("silent.example") ? "silent" : ["127.0.0.1"];
  });
  renderer = open();
});

afterAll(async () => {
  await renderer.close();
  await site.close();
  nameServer.close();
});

function open(): Renderer {
  const resolver = createSystemResolver({
    servers: [nameServer.address],
    hostsFile: "/nowhere/hosts",
    searchFile: "/nowhere/resolv.conf",
    timeoutMs: 1_000,
  });
  return openRenderer([site.port], { resolver });
}

async function errorOf(path: string): Promise<SnapError> {
  return renderer.render(pdf(site.url(path))).then(
    () => expect.fail("the render succeeded"),
    (error: SnapError) => error,
  );
}

describe("a page", () => {
  it("is unreachable if its host name does not exist", async () => {
    expect(await errorOf("/to-gone")).toMatchObject({
      code: "target_unreachable",
      message: "The page's host name could not be resolved.",
    });
  });

  it.each(["/to-down", "/to-silent"])(
    "is temporarily unavailable if the resolver fails: %s",
    async (path) => {
      expect(await errorOf(path)).toMatchObject({
        code: "upstream_error",
        message: "Name resolution failed for the page's host. Retry shortly.",
        retryAfterSeconds: 5,
        isTransient: true,
      });
    },
  );

  it("is unreachable if it uses more than 200 host names, and the error explains why", async () => {
    expect(await errorOf("/many-gone")).toMatchObject({
      code: "target_unreachable",
      message: "The page uses more than 200 host names.",
    });
    expect(nameServer.questions).not.toContain("A one-more.gone.example");
  });
});

describe("a page with hundreds of names whose servers never respond", () => {
  it("does not delay another page's lookups", async () => {
    const both = open();
    const hostile = both.render(screenshot(site.url("/many-silent"))).catch((error: SnapError) => error.code);
    await nameServer.whenAsked("A n7.silent.example");
    const { targetStatus } = await both.render(screenshot(site.url("/", "neighbor.example")));
    expect(targetStatus).toBe(200);
    await both.close();
    expect(await hostile).not.toBe("target_unreachable");
  });
});
