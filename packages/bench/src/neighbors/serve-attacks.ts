import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ATTACKS, FRAME_SCRIPTS } from "./attacks.ts";

/*
 * Serves the hostile pages in a separate process, on all addresses of the machine, because a browser treats each
 * loopback address as a different site. Prints the port.
 */

/** Loopback addresses that stand in for other sites. */
const OTHER_HOSTS: readonly string[] = Array.from({ length: 10 }, (_, index) => `127.0.0.${index + 2}`);

function pageHtml(script: string, port: number): string {
  const others = OTHER_HOSTS.map((host) => `http://${host}:${port}`);
  // Starts after `load`; otherwise, a render that waits for `load` might never get past it.
  return `<!doctype html><title>hostile</title><body><p>A page.</p><script>
const others = ${JSON.stringify(others)};
addEventListener("load", () => setTimeout(() => { ${script} }, 20));
</script>`;
}

if (import.meta.main) {
  const server = createServer(({ url = "/" }, response) => {
    const { port } = server.address() as AddressInfo;
    const [, kind = "", name = ""] = /^\/(\w+)(?:\/(\d+))?/.exec(url) ?? [];
    response.setHeader("content-type", "text/html");
    if (kind === "attack") response.end(pageHtml(ATTACKS[Number(name)]?.script ?? "", port));
    else if (kind in FRAME_SCRIPTS) response.end(pageHtml(FRAME_SCRIPTS[kind] ?? "", port));
    else response.end("tiny");
  });
  server.listen(0, "0.0.0.0", () => console.log((server.address() as AddressInfo).port));
}
