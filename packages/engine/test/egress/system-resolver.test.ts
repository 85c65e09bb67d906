import fs from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { Resolver as Channel } from "node:dns/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createTemporaryDirectory } from "../../../testing/test/servers/temporary-directory.ts";
import {
  openNameServer,
  type NameServer,
  type Question,
  type Reply,
} from "../../../testing/test/servers/name-server.ts";
import { createSystemResolver, type SystemResolverOptions } from "../../src/egress/names/system-resolver.ts";
import { resolveHost } from "../../src/egress/resolve.ts";
import type { Resolver } from "../../src/ports/resolver.ts";
import { parseTargetList } from "../../src/targets/target-list.ts";

const V4 = "192.0.2.1";
const V6 = "2001:db8:0:0:0:0:0:1";

type Responder = (question: Question) => Reply;

async function serve(reply: Responder): Promise<NameServer> {
  const server = await openNameServer(reply);
  onTestFinished(() => server.close());
  return server;
}

/** A resolver that queries only these servers. */
function createResolver(servers: readonly NameServer[], options: SystemResolverOptions = {}): Resolver {
  return createSystemResolver({
    servers: servers.map(({ address }) => address),
    hostsFile: "/nowhere/hosts",
    searchFile: "/nowhere/resolv.conf",
    ...options,
  });
}

async function temporaryPaths(): Promise<{ hosts: string; search: string }> {
  const folder = await createTemporaryDirectory();
  return { hosts: join(folder, "hosts"), search: join(folder, "resolv.conf") };
}

/** Responses to IPv4 and IPv6 queries. */
const byFamily =
  (ipv4: Reply, ipv6: Reply): Responder =>
  ({ type }) =>
    type === "A" ? ipv4 : ipv6;

describe("a lookup", () => {
  it("returns the addresses of both families", async () => {
    const server = await serve(() => [V6, V4, "192.0.2.2"]);
    const addresses = await createResolver([server]).resolve("example.com");
    expect(addresses).toEqual([V4, "192.0.2.2", "2001:db8::1"]);
    expect([...server.questions].toSorted()).toEqual(["A example.com", "AAAA example.com"]);
  });

  it.each([
    ["IPv6 fails", byFamily([V4], "SERVFAIL"), [V4]],
    ["IPv6 is refused", byFamily([V4], "REFUSED"), [V4]],
    ["the IPv6 reply is NXDOMAIN", byFamily([V4], "NXDOMAIN"), [V4]],
    ["there are no IPv6 addresses", byFamily([V4], []), [V4]],
    ["IPv4 fails", byFamily("SERVFAIL", [V6]), ["2001:db8::1"]],
    ["there are no IPv4 addresses", byFamily([], [V6]), ["2001:db8::1"]],
    ["IPv4 gets no reply", byFamily("silent", [V6]), ["2001:db8::1"]],
  ])("returns the addresses of the other family if %s", async (_case, reply, addresses) => {
    const server = await serve(reply);
    expect(await createResolver([server], { timeoutMs: 500 }).resolve("example.com")).toEqual(addresses);
  });

  it(
    "returns IPv6 addresses within the caller's default time limit if IPv4 queries get no reply",
    { timeout: 15_000 },
    async () => {
      const resolver = createResolver([await serve(byFamily("silent", [V6]))]);
      const policy = { allow: parseTargetList("2001:db8::/32"), ownHostnames: [] };
      expect(await resolveHost({ hostname: "example.com", port: 80, policy, resolver })).toEqual({
        addresses: ["2001:db8::1"],
      });
    },
  );

  it("does not wait for a server that never responds to IPv6 queries", async () => {
    for (const [ipv4, addresses] of [
      [[V4], [V4]],
      ["NXDOMAIN", []],
    ] as const) {
      const server = await serve(byFamily(ipv4, "silent"));
      expect(await createResolver([server]).resolve("example.com")).toEqual(addresses);
      // a second later it would have been queried again
      expect(server.questions.length).toBe(2);
    }
  });

  it.each<[string, Responder]>([
    ["does not exist", () => "NXDOMAIN"],
    ["has no addresses", () => []],
  ])("returns nothing for a name that %s", async (_case, reply) => {
    expect(await createResolver([await serve(reply)]).resolve("example.com")).toEqual([]);
  });

  it.each<[string, Responder, string]>([
    ["fails", () => "SERVFAIL", "ESERVFAIL"],
    ["refuses", () => "REFUSED", "EREFUSED"],
    ["never replies", () => "silent", "ETIMEOUT"],
    ["fails for one family while the other has nothing", byFamily([], "SERVFAIL"), "ESERVFAIL"],
  ])("rejects if the server %s", async (_case, reply, code) => {
    const resolver = createResolver([await serve(reply)], { timeoutMs: 300 });
    await expect(resolver.resolve("example.com")).rejects.toMatchObject({ code });
  });

  it("rejects if there is no server", async () => {
    const server = await openNameServer(() => []);
    server.close();
    await expect(createResolver([server]).resolve("example.com")).rejects.toMatchObject({
      code: "ECONNREFUSED",
    });
  });

  it("queries the next server if one fails", async () => {
    const servers = [await serve(() => "SERVFAIL"), await serve(() => "REFUSED"), await serve(() => [V4])];
    expect(await createResolver(servers).resolve("example.com")).toEqual([V4]);
  });

  it("reads a long response over TCP, up to 32 addresses of each family", async () => {
    const addresses = Array.from({ length: 100 }, (_, index) => `192.0.2.${index}`);
    const server = await serve(() => addresses);
    expect(await createResolver([server]).resolve("example.com")).toEqual(addresses.slice(0, 32));
  });

  it("returns nothing for a name that DNS cannot express", async () => {
    const server = await serve(() => [V4]);
    expect(await createResolver([server]).resolve(`${"x".repeat(64)}.example.com`)).toEqual([]);
    expect(server.questions).toEqual([]);
  });

  it("never queries reserved names", async () => {
    const server = await serve(() => [V4]);
    const resolver = createResolver([server]);
    for (const name of ["invalid", "a.invalid", "site.onion"])
      expect(await resolver.resolve(name)).toEqual([]);
    for (const name of ["localhost", "app.localhost"])
      expect(await resolver.resolve(name)).toEqual(["127.0.0.1", "::1"]);
    expect(server.questions).toEqual([]);
  });

  it("is not delayed by 1,000 names whose servers do not respond", async () => {
    const server = await serve(({ name }) => (name.startsWith("silent") ? "silent" : [V4]));
    const resolver = createResolver([server]);
    const ended: string[] = [];
    const page = new AbortController();
    const silent: Promise<void>[] = [];
    while (silent.length < 1000) {
      const name = `silent-${silent.length}.example.com`;
      const lookup = resolver.resolve(name, page).catch(() => {});
      silent.push(lookup.then(() => void ended.push(name)));
      // the server's socket drops queries that arrive faster than it reads
      if (silent.length % 50 === 0) await server.whenAsked(2 * silent.length);
    }
    expect(await resolver.resolve("example.com")).toEqual([V4]);
    ended.push("example.com");
    page.abort();
    await Promise.all(silent);
    expect(ended[0]).toBe("example.com");
  });
});

describe("cancellation", () => {
  it("ends a lookup once no caller waits for it", async () => {
    const cancel = vi.spyOn(Channel.prototype, "cancel");
    const server = await serve(() => "silent");
    const resolver = createResolver([server]);
    const [one, two] = [new AbortController(), new AbortController()];
    const outcomes = [one, two].map(async (controller) =>
      resolver.resolve("example.com", controller).catch((error: Error) => error.name),
    );
    await server.whenAsked(2);
    one.abort();
    expect(await outcomes[0]).toBe("AbortError");
    expect(cancel).not.toHaveBeenCalled();
    two.abort();
    expect(await outcomes[1]).toBe("AbortError");
    expect(cancel).toHaveBeenCalledTimes(2); // a channel for each family
    cancel.mockRestore();
  });

  it("does not affect the next lookup", async () => {
    const replies: Reply[] = ["silent", "silent", [V4], []];
    const server = await serve(() => replies.shift() ?? []);
    const resolver = createResolver([server]);
    const first = new AbortController();
    const abandoned = resolver.resolve("example.com", first);
    await server.whenAsked(2);
    first.abort();
    await expect(abandoned).rejects.toThrow("aborted");
    expect(await resolver.resolve("example.com")).toEqual([V4]);
  });

  it("prevents the lookup if the signal has already aborted", async () => {
    const server = await serve(() => [V4]);
    const signal = AbortSignal.abort();
    await expect(createResolver([server]).resolve("example.com", { signal })).rejects.toThrow("aborted");
    expect(server.questions).toEqual([]);
  });
});

describe("the cache", () => {
  it("shares one lookup among concurrent requests", async () => {
    const server = await serve(() => [V4, V6]);
    const resolver = createResolver([server]);
    const names = Array.from({ length: 50 }, () => resolver.resolve("example.com"));
    expect(new Set((await Promise.all(names)).map(String))).toEqual(new Set([`${V4},2001:db8::1`]));
    expect(server.questions.length).toBe(2);
  });

  it.each<[string, Responder, number]>([
    ["addresses for 10 s", () => [V4], 10_000],
    ["a name without addresses for 2 s", () => [], 2_000],
    ["a name that does not exist for 2 s", () => "NXDOMAIN", 2_000],
    ["addresses of one family, while the other fails, for 2 s", byFamily([V4], "SERVFAIL"), 2_000],
  ])("caches %s", async (_case, reply, durationMs) => {
    let now = 1;
    const server = await serve(reply);
    const resolver = createResolver([server], { now: () => now });
    await resolver.resolve("example.com");
    now += durationMs;
    await resolver.resolve("example.com");
    expect(server.questions.length).toBe(2);
    now += 1;
    await resolver.resolve("example.com");
    expect(server.questions.length).toBe(4);
  });

  it("does not cache failures", async () => {
    const replies: Reply[] = ["SERVFAIL", "SERVFAIL", [V4], [V4]];
    const resolver = createResolver([await serve(() => replies.shift() ?? [])]);
    await expect(resolver.resolve("example.com")).rejects.toMatchObject({ code: "ESERVFAIL" });
    expect(await resolver.resolve("example.com")).toEqual([V4]);
  });
});

describe("the hosts file", () => {
  it("comes first, for any name, and is read again when it changes", async () => {
    const { hosts } = await temporaryPaths();
    const server = await serve(() => [V4]);
    const resolver = createResolver([server], { hostsFile: hosts });
    expect(await resolver.resolve("example.com")).toEqual([V4]);
    await writeFile(
      hosts,
      "# a comment\n10.0.0.1\tExample.com web # another\n::1 web\n10.0.0.1 web\nnonsense example.com\n10.0.0.2 a.invalid\n",
    );
    expect(await resolver.resolve("EXAMPLE.com.")).toEqual(["10.0.0.1"]);
    expect(await resolver.resolve("web")).toEqual(["10.0.0.1", "::1"]);
    expect(await resolver.resolve("a.invalid")).toEqual(["10.0.0.2"]);
    await rm(hosts);
    expect(await resolver.resolve("example.com")).toEqual([V4]);
    expect(server.questions.length).toBe(2);
  });
});

describe("a hosts file that is temporarily unreadable", () => {
  it("is read again at the next lookup, although it has not changed", async () => {
    const { hosts } = await temporaryPaths();
    await writeFile(hosts, "10.0.0.1 example.com\n");
    const server = await serve(() => [V4]);
    const resolver = createResolver([server], { hostsFile: hosts });
    const { readFileSync } = fs;
    const replaceRead = (read: unknown): void => {
      Object.assign(fs, { readFileSync: read });
      syncBuiltinESMExports();
    };
    onTestFinished(() => replaceRead(readFileSync));
    replaceRead(() => {
      throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
    });
    expect(await resolver.resolve("example.com")).toEqual([V4]);
    replaceRead(readFileSync);
    expect(await resolver.resolve("example.com")).toEqual(["10.0.0.1"]);
  });
});

describe("search domains", () => {
  const services = ({ name }: Question): Reply =>
    name === "web.shop.svc.cluster.local" || name === "example.com" ? [V4] : "NXDOMAIN";
  const namesOf = (server: NameServer): string[] =>
    server.questions.filter((question) => question.startsWith("A ")).map((question) => question.slice(2));

  it("complete the names of services, as in Kubernetes", async () => {
    const { search } = await temporaryPaths();
    const server = await serve(services);
    const resolver = createResolver([server], { searchFile: search });
    expect(await resolver.resolve("web.shop.svc")).toEqual([]);
    await writeFile(
      search,
      "nameserver 10.0.0.10\nsearch shop.svc.cluster.local svc.cluster.local. cluster.local .\noptions edns0 ndots:5\n",
    );
    for (const name of ["web", "web.shop"]) expect(await resolver.resolve(name)).toEqual([V4]);
    expect(namesOf(server)).toEqual([
      "web.shop.svc",
      "web.shop.svc.cluster.local",
      "web.shop.shop.svc.cluster.local",
      "web.shop.svc.cluster.local",
    ]);
  });

  it("are tried after the name itself if it has enough dots", async () => {
    const { search } = await temporaryPaths();
    await writeFile(search, "domain cluster.local\n");
    const server = await serve(services);
    const resolver = createResolver([server], { searchFile: search });
    expect(await resolver.resolve("example.com")).toEqual([V4]);
    expect(await resolver.resolve("gone.example.com")).toEqual([]);
    expect(namesOf(server)).toEqual(["example.com", "gone.example.com", "gone.example.com.cluster.local"]);
  });

  it("are skipped if their servers fail, but the lookup of an unknown name then fails", async () => {
    const { search } = await temporaryPaths();
    await writeFile(search, "search broken.example\noptions ndots:2\n");
    const server = await serve((question) =>
      question.name.endsWith("broken.example") ? "SERVFAIL" : services(question),
    );
    const resolver = createResolver([server], { searchFile: search });
    expect(await resolver.resolve("example.com")).toEqual([V4]);
    await expect(resolver.resolve("gone.com")).rejects.toMatchObject({ code: "ESERVFAIL" });
  });
});
