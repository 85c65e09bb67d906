import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { PROGRAMS, type WayName } from "./programs.ts";
import type { RenderJob } from "./way.ts";

// Runs one way of rendering in a separate process. A request posts a job as JSON; the response is the size of the file.

const [name = "", browserPath = ""] = process.argv.slice(2);
const program = await PROGRAMS[name as WayName](browserPath);
const server = createServer((request, response) => {
  text(request)
    .then((body) => program.render(JSON.parse(body) as RenderJob))
    .then(
      ({ byteLength }) => response.end(String(byteLength)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
process.once("SIGTERM", () => void program.close().then(() => process.exit()));
