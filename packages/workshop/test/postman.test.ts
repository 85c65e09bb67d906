// @module-tag browser
import vectors from "@snap/protocol/vectors/signed-urls.json" with { type: "json" };
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run, extendPath } from "../src/machine/run.ts";
import { listen, type ListeningServer } from "./examples/listen.ts";
import { servePage } from "./examples/serve-page.ts";
import { startSnap, type RunningSnap } from "./examples/start-snap.ts";

interface Item {
  readonly name: string;
  readonly request: { readonly url: { readonly query?: readonly QueryEntry[] } };
}

interface QueryEntry {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
}

interface Collection {
  readonly variable: readonly { readonly key: string; readonly value: string }[];
  readonly item: readonly Item[];
}

interface Report {
  readonly run: {
    readonly executions: readonly {
      readonly item: { readonly name: string };
      readonly response?: {
        readonly code: number;
        readonly header: readonly { readonly key: string; readonly value: string }[];
      };
    }[];
    readonly failures: readonly { readonly error: { readonly message: string } }[];
  };
}

let page: ListeningServer;
let service: RunningSnap;
let folder: string;
let collection: Collection;

beforeAll(async () => {
  extendPath();
  folder = await mkdtemp(join(tmpdir(), "snap-postman-"));
  page = await servePage();
  service = await startSnap({ allowTargets: page.host });
  const text = await (await fetch(`${service.baseUrl}/postman.json`)).text();
  // The tests have no network.
  collection = JSON.parse(text.replaceAll("https://example.com/", `${page.origin}/`)) as Collection;
});
afterAll(async () => {
  await service.stop();
  await page.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a collection with Postman's own runner, and these variables. */
async function newman(sent: Collection, variables: Readonly<Record<string, string>>): Promise<Report["run"]> {
  const [file, report] = [join(folder, "collection.json"), join(folder, "report.json")];
  await writeFile(file, JSON.stringify(sent));
  const set = Object.entries(variables).flatMap(([name, value]) => ["--env-var", `${name}=${value}`]);
  const reporter = ["--reporters", "json", "--reporter-json-export", report];
  await run("newman", ["run", file, "--ignore-redirects", ...set, ...reporter]);
  return (JSON.parse(await readFile(report, "utf8")) as Report).run;
}

describe("the Postman collection in newman", { timeout: 180_000 }, () => {
  it("runs from top to bottom, with the token and its secret", async () => {
    const { token, signingSecret } = service;
    const { executions, failures } = await newman(collection, { token, signingSecret });
    expect(failures.map(({ error }) => error.message)).toEqual([]);
    const json = "application/json; charset=utf-8";
    const received = executions.map(({ item, response }) => {
      const type = response?.header.find(({ key }) => key.toLowerCase() === "content-type");
      return [item.name, response?.code, type?.value];
    });
    expect(received).toEqual([
      ["Screenshot", 200, "image/png"],
      ["Full page", 200, "image/webp"],
      ["PDF", 200, "application/pdf"],
      ["Signed URL", 200, "image/png"],
      ["HTML to PDF", 200, "application/pdf"],
      ["Submit a batch", 202, json],
      ["List batches", 200, json],
      ["Poll a batch", 200, json],
      ["Webhook deliveries", 200, json],
      // the batch has no webhook
      ["Send a webhook again", 422, json],
      ["Upload a document", 201, json],
      ["Render the document", 200, "application/pdf"],
      ["Usage", 200, json],
      ["OpenAPI description", 200, json],
      ["This collection", 200, json],
    ]);
  });

  it("asks for the signing secret if it is missing", async () => {
    const signed = collection.item.filter(({ name }) => name === "Signed URL");
    const { failures } = await newman({ ...collection, item: signed }, { token: service.token });
    expect(failures.map(({ error }) => error.message)).toEqual([
      "Set the variable signingSecret: snap-server tokens reveal ID prints it.",
    ]);
  });

  it("produces the signatures of the published vectors", async () => {
    const received: string[] = [];
    const sink = await listen(
      createServer({ maxHeaderSize: 65_536 }, ({ url = "" }: IncomingMessage, response) => {
        received.push(url);
        response.end("{}");
      }),
    );
    const [{ signing_secret: signingSecret } = { signing_secret: "" }] = vectors.cases;
    // Only one secret in a run, and names like those of parameters.
    const cases = vectors.cases.filter(
      (one) =>
        one.signing_secret === signingSecret && one.pairs.every(([name = ""]) => /^[a-zA-Z]\w*$/.test(name)),
    );
    expect(cases.length).toBeGreaterThan(20);
    const signed = collection.item.filter(({ name }) => name === "Signed URL");
    const item = cases.flatMap(({ pairs }) => signed.map((one) => withQuery(one, pairs)));
    const variable = [{ key: "baseUrl", value: sink.origin }];
    await newman({ variable, item }, { token: "7|x", signingSecret });
    await sink.close();
    const queries = received.map((url) => Array.from(new URL(url, sink.origin).searchParams));
    const expected = cases.map(({ pairs, signature }) => pairs.concat([["signature", signature]]));
    expect(queries).toEqual(expected);
  });
});

/** Returns the signed request with these query parameters instead of its own. */
function withQuery(item: Item, pairs: readonly (readonly string[])[]): Item {
  const query = [...pairs, ["signature", "{{signature}}"]].map(([key = "", value = ""]) => ({ key, value }));
  return { ...item, request: { ...item.request, url: { ...item.request.url, query } } };
}
