import { createEngine, type Renderer, type Storage } from "@snap/engine";
import type { ObjectStore } from "@snap/engine/ports";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { createFakeClock, createFakeRenderer, createFakeResolver } from "@snap/testing";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/*
 * One capture on the embedded storage, in a process that kills itself before the given step. Each
 * call to a port that stepThrough() wraps is a step, and so is the reply. Prints the steps' names.
 */
const [directory = "", startMs = "", token = "", crashBefore = ""] = process.argv.slice(2);
let step = 0;

function stepThrough<T extends object>(port: T, name: string): T {
  return new Proxy(port, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        takeStep(`${name}.${String(property)}`);
        return Reflect.apply(member, target, args);
      };
    },
  });
}

function takeStep(name: string): void {
  process.stdout.write(`${name}\n`);
  if (step === Number(crashBefore)) process.kill(process.pid, "SIGKILL");
  step += 1;
}

const storage = await openSqliteStorage({ directory });
const engineOptions = {
  secretKey: "a key for this test",
  clock: createFakeClock(Number(startMs)),
  resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
};
const setupEngine = createEngine({ ...engineOptions, storage, renderer: createFakeRenderer() });
const principal = await setupEngine.authenticate(token);

const steppedStorage: Storage = {
  ...storage,
  ledger: stepThrough(storage.ledger, "ledger"),
  renderings: stepThrough(storage.renderings, "renderings"),
  rateLimiter: stepThrough(storage.rateLimiter, "rateLimiter"),
};
const renderer: Renderer = stepThrough(createFakeRenderer(), "renderer");
const store: ObjectStore = {
  async put({ bytes }) {
    await writeFile(join(directory, "stored.png"), bytes);
    return { location: "s3://bucket/stored.png" };
  },
};
const stores = { archive: { store: stepThrough(store, "store") } };
const engine = createEngine({ ...engineOptions, storage: steppedStorage, renderer, stores });
await engine.capture({ principal, parameters: { url: "https://example.com/", storeTo: "archive" } });
takeStep("reply");
