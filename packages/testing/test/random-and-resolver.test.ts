import { describe, expect, it } from "vitest";
import { createFakeRandom, createFakeResolver } from "../src/index.ts";

describe("createFakeRandom", () => {
  it("returns the same sequence for the same seed, whatever sizes are drawn", () => {
    const whole = createFakeRandom(1).bytes(100);
    const pieces = createFakeRandom(1);
    const cut = [pieces.bytes(0), pieces.bytes(1), pieces.bytes(64), pieces.bytes(35)];
    expect(Buffer.concat(cut)).toEqual(Buffer.from(whole));
    expect(createFakeRandom(2).bytes(100)).not.toEqual(whole);
  });

  it("does not repeat itself", () => {
    const random = createFakeRandom(1);
    const drawn = Array.from({ length: 1000 }, () => Buffer.from(random.bytes(16)).toString("hex"));
    expect(new Set(drawn).size).toBe(1000);
  });
});

describe("createFakeResolver", () => {
  it("returns addresses from the table", async () => {
    const addresses = ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"];
    const resolver = createFakeResolver({ "example.com": addresses, "empty.example.com": [] });
    expect(await resolver.resolve("example.com")).toEqual(addresses);
    expect(await resolver.resolve("empty.example.com")).toEqual([]);
  });

  it("calls a function for each lookup", async () => {
    const results = [["93.184.215.14"], ["127.0.0.1"]];
    const resolver = createFakeResolver({ "rebinding.example.com": () => results.shift() ?? [] });
    expect(await resolver.resolve("rebinding.example.com")).toEqual(["93.184.215.14"]);
    expect(await resolver.resolve("rebinding.example.com")).toEqual(["127.0.0.1"]);
  });

  it.each(["unknown.example.com", "constructor", "__proto__"])("rejects unknown names: %s", async (name) => {
    await expect(createFakeResolver({}).resolve(name)).rejects.toMatchObject({ code: "ENOTFOUND" });
  });

  it("simulates a failed lookup, and one that ends only when its signal aborts", async () => {
    const resolver = createFakeResolver({ "down.example.com": "fails", "slow.example.com": () => "silent" });
    await expect(resolver.resolve("down.example.com")).rejects.toMatchObject({ code: "ESERVFAIL" });
    const page = new AbortController();
    const lookup = resolver.resolve("slow.example.com", page);
    page.abort();
    await expect(lookup).rejects.toThrow("aborted");
    await expect(resolver.resolve("slow.example.com", page)).rejects.toThrow("aborted");
  });
});
