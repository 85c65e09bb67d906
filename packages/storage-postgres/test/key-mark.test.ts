import { describe, expect, it, onTestFinished } from "vitest";
import { openPostgresTarget } from "../src/index.ts";
import { openStorage, useServer } from "./server.ts";

describe("the mark of the secret key", { tags: ["postgres"] }, () => {
  const { newDatabase } = useServer();

  it("is the first that is claimed, permanently", async () => {
    const url = await newDatabase();
    const [one, two] = await Promise.all([openStorage({ url }), openStorage({ url })]);
    const target = await openPostgresTarget({ url });
    onTestFinished(() => target.close());
    expect(await target.claimKeyMark("a")).toBe(true);
    expect(await one.claimKeyMark("a")).toBe(true);
    expect(await two.claimKeyMark("b")).toBe(false);
    await one.close();
    expect(await two.claimKeyMark("b")).toBe(false);
    expect(await two.claimKeyMark("a")).toBe(true);
    await two.close();
  });

  it("is claimed once if many are claimed concurrently", async () => {
    const storage = await openStorage({ url: await newDatabase() });
    const claimed = await Promise.all(
      Array.from({ length: 20 }, (_, index) => storage.claimKeyMark(`${index}`)),
    );
    expect(claimed.filter(Boolean)).toHaveLength(1);
    await storage.close();
  });
});
