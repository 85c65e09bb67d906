import { describe, expect, it, onTestFinished } from "vitest";
import { openPostgresTarget } from "../src/index.ts";
import { openStorage, useServer } from "./server.ts";

describe("the fingerprint of the secret key", { tags: ["postgres"] }, () => {
  const { newDatabase } = useServer();

  it("remains the first one stored", async () => {
    const url = await newDatabase();
    const [one, two] = await Promise.all([openStorage({ url }), openStorage({ url })]);
    const target = await openPostgresTarget({ url });
    onTestFinished(() => target.close());
    expect(await target.pinKeyFingerprint("a")).toBe(true);
    expect(await one.pinKeyFingerprint("a")).toBe(true);
    expect(await two.pinKeyFingerprint("b")).toBe(false);
    await one.close();
    expect(await two.pinKeyFingerprint("b")).toBe(false);
    expect(await two.pinKeyFingerprint("a")).toBe(true);
    await two.close();
  });

  it("can be replaced", async () => {
    const storage = await openStorage({ url: await newDatabase() });
    await storage.replaceKeyFingerprint("a");
    expect(await storage.pinKeyFingerprint("b")).toBe(false);
    await storage.replaceKeyFingerprint("b");
    expect(await storage.pinKeyFingerprint("b")).toBe(true);
    await storage.close();
  });

  it("is stored by only one of many concurrent calls", async () => {
    const storage = await openStorage({ url: await newDatabase() });
    const pinned = await Promise.all(
      Array.from({ length: 20 }, (_, index) => storage.pinKeyFingerprint(`${index}`)),
    );
    expect(pinned.filter(Boolean)).toHaveLength(1);
    await storage.close();
  });
});
