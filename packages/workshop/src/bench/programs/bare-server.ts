import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import express from "express";

// The least that Express 5 does for the same answer, in a separate process as the service is: with an entity
// tag that it computes for each answer, and with one that is known beforehand.
const [file = ""] = process.argv.slice(2);
const picture = readFileSync(file);
const app = express();
app.get("/picture", (_request, answer) => {
  answer.type("png").send(picture);
});
const etag = `"${createHash("sha256").update(picture).digest("hex")}"`;
app.get("/known/picture", (_request, answer) => {
  answer.set("etag", etag).type("png").send(picture);
});
app.get("/not-modified", (_request, answer) => {
  answer.status(304).end();
});
const server = app.listen(0, "127.0.0.1", () => {
  console.log((server.address() as AddressInfo).port);
});
