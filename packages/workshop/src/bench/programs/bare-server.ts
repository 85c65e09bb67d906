import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import express from "express";

// The least that Express 5 can do for the same answer, in a process of its own as the service is: as it
// comes, with an entity tag that it works out for each answer, and without.
const [file = ""] = process.argv.slice(2);
const picture = readFileSync(file);
const app = express();
app.get("/picture", (_request, answer) => {
  answer.type("png").send(picture);
});
const plain = express();
plain.disable("etag").disable("x-powered-by");
app.use("/plain", plain);
plain.get("/picture", (_request, answer) => {
  answer.type("png").send(picture);
});
app.get("/not-modified", (_request, answer) => {
  answer.status(304).end();
});
const server = app.listen(0, "127.0.0.1", () => {
  console.log((server.address() as AddressInfo).port);
});
