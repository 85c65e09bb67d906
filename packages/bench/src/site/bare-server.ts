import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import express from "express";

// The smallest Express 5 server that sends the service's image, and a 304. Like the service, it
// runs in a separate process.
const image = readFileSync(process.argv[2] ?? "");
const etag = `"${createHash("sha256").update(image).digest("hex")}"`;
const app = express();
app.get("/image", (_request, response) => void response.set("etag", etag).type("png").send(image));
app.get("/not-modified", (_request, response) => void response.status(304).end());
const server = app.listen(0, "127.0.0.1", () => {
  console.log((server.address() as AddressInfo).port);
});
