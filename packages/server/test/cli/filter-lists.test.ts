import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkspace } from "./command.ts";
import { servePages, type Pages } from "./pages.ts";

const workspace = openWorkspace();
const path = (name: string): string => join(workspace.directory, name);
let pages: Pages;

beforeAll(async () => {
  await mkdir(workspace.directory, { recursive: true });
  await writeFile(
    path("ads.txt"),
    "[Adblock Plus 2.0]\n||ads.example^\n##.ad\n##h1\nexample.com##+js(noop)\n",
  );
  await writeFile(path("trackers.txt"), "||trackers.example^\n");
  await writeFile(path("slow.txt"), "||ads.example^\n/(a+)+\u202Eb$/\n");
  await writeFile(path("empty.txt"), "\n");
  await writeFile(path("page.txt"), "<!doctype html><title>404</title>");
  pages = await servePages();
});

afterAll(async () => {
  await pages.close();
  await workspace.cleanUp();
});

const lists = (text: string): NodeJS.ProcessEnv => ({ SNAP_FILTER_LISTS: text });

describe("lists check", () => {
  it("reports what each list contains and how fast it is", async () => {
    const environment = lists("ads:ads.txt, trackers:trackers.txt,trackers.txt");
    const measured = { compile_ms: expect.any(Number), match_microseconds: expect.any(Number) };
    const trackers = {
      network_filters: 1,
      cosmetic_filters: 0,
      unused_filters: 0,
      skipped_filters: [],
      unsupported_lines: 0,
    };
    expect(await workspace.json(["lists", "check"], environment)).toEqual([
      {
        file: path("ads.txt"),
        purposes: ["ads"],
        network_filters: 1,
        cosmetic_filters: 2,
        unused_filters: 1,
        skipped_filters: [],
        unsupported_lines: 0,
        ...measured,
      },
      { file: path("trackers.txt"), purposes: ["trackers"], ...trackers, ...measured },
      { file: path("trackers.txt"), purposes: ["ads", "trackers"], ...trackers, ...measured },
    ]);
    const { code, stdout } = await workspace.run(["lists", "check"], environment);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^FILE +PURPOSE +NETWORK +COSMETIC +UNUSED +SKIPPED +UNSUPPORTED +COMPILE +MATCH\n/,
    );
    expect(stdout).toMatch(/ads\.txt +ads +1 +2 +1 +0 +0 +\d+ ms +[\d.]+ µs\n/);
  });

  it("names the regular expressions that are skipped, without characters that manipulate a terminal", async () => {
    const { code, stdout } = await workspace.run(["lists", "check"], lists("ads:slow.txt"));
    expect(code).toBe(0);
    expect(stdout).toMatch(/slow\.txt +ads +1 +0 +1 +1 +0 +\d+ ms/);
    expect(stdout).toContain(
      `Skipped, because these regular expressions can take exponential time:\n  ${path("slow.txt")}: /(a+)+%E2%80%AEb$/\n`,
    );
  });

  it("fails if there are no lists", async () => {
    const { code, stderr } = await workspace.run(["lists", "check"]);
    expect([code, stderr]).toEqual([
      2,
      "error: SNAP_FILTER_LISTS is not set; set it to files such as ads:/etc/snap/easylist.txt,trackers:/etc/snap/easyprivacy.txt\n",
    ]);
  });

  it.each(["lists check", "serve", "render https://example.com -o a.png"])(
    "reports every mistake in SNAP_FILTER_LISTS: %s",
    async (command) => {
      const wrong = "ads:nowhere.txt,ads:empty.txt,page.txt,spam:ads.txt,,trackers:trackers.txt";
      const { code, stderr } = await workspace.run(command.split(" "), lists(wrong));
      expect(code).toBe(2);
      const mistakes = stderr.trim().split("\n  ").slice(1);
      const expected = [
        "must be readable files such as ads:/etc/snap/easylist.txt: ENOENT",
        `${path("empty.txt")} is empty`,
        `${path("page.txt")} is a web page or XML, not a filter list`,
        '"spam" is not a purpose; use ads:FILE, trackers:FILE, or FILE for both',
        "must be files such as ads:/etc/snap/easylist.txt, separated by commas",
      ];
      expect(mistakes).toHaveLength(expected.length);
      for (const [index, text] of expected.entries()) {
        expect(mistakes[index]).toContain(`SNAP_FILTER_LISTS is ${JSON.stringify(wrong)}: `);
        expect(mistakes[index]).toContain(text);
      }
    },
  );
});

describe("render", { tags: ["browser"] }, () => {
  const render = ["render", "--allow-target", "127.0.0.0/8", "-o", "out.png"];

  it("hides the elements that match the lists, with --block-ads", async () => {
    const environment = lists("ads:ads.txt");
    const args = [...render, pages.url, "--selector", "#title"];
    expect((await workspace.run(args, environment)).code).toBe(0);
    const hidden = await workspace.run([...args, "--block-ads"], environment);
    expect(hidden.code).toBe(1);
    expect(hidden.stderr).toContain("title");
  });

  it("fails if there are no lists for the purpose", async () => {
    const { code, stderr } = await workspace.run(
      [...render, pages.url, "--block-trackers"],
      lists("ads:ads.txt"),
    );
    expect([code, stderr]).toEqual([
      2,
      "error: --block-trackers requires filter lists for trackers, which are not installed; the operator must set SNAP_FILTER_LISTS (or filterLists, for an embedded renderer)\n",
    ]);
  });
});

describe("serve", { tags: ["browser"] }, () => {
  it("hides the elements that match the lists, rejects a purpose without lists, and logs skipped filters", async () => {
    const environment = {
      ...lists("ads:ads.txt,ads:slow.txt"),
      SNAP_PORT: "0",
      SNAP_ALLOW_TARGETS: pages.target,
    };
    const serving = workspace.start(["serve", "--dev", "--json"], environment);
    const [document] = await serving.whenPrinted(/^\{"origin":.*$/m);
    const { origin, token } = JSON.parse(document) as { origin: string; token: string };
    const snap = (query: string): Promise<Response> =>
      fetch(`${origin}/v1/snap?url=${encodeURIComponent(pages.url)}&${query}`, {
        headers: { authorization: `Bearer ${token}` },
      });
    expect((await snap("blockAds=1")).status).toBe(200);
    const title = encodeURIComponent("#title");
    expect((await snap(`selector=${title}`)).status).toBe(200);
    const hidden = await snap(`selector=${title}&blockAds=1`);
    expect([hidden.status, await hidden.text()]).toEqual([500, expect.stringContaining("#title")]);
    expect((await snap("blockTrackers=1")).status).toBe(422);
    serving.child.kill("SIGTERM");
    const { stdout } = await serving.ended;
    expect(stdout).toContain('"count":1,"filters":["/(a+)+\u202Eb$/"],"msg":"filters skipped"');
  });
});

describe("doctor", { tags: ["browser"] }, () => {
  it("reports what the lists contain", async () => {
    const { stdout } = await workspace.run(["doctor"], lists("ads:ads.txt,trackers.txt"));
    expect(stdout).toContain(
      `filter lists: ${path("ads.txt")} for ads: 1 network and 2 cosmetic filters, 0 skipped, 0 unsupported\n`,
    );
    expect(stdout).toContain(
      `filter lists: ${path("trackers.txt")} for ads and trackers: 1 network and 0 cosmetic filters, 0 skipped, 0 unsupported\n`,
    );
  });

  it("reports a file that is not a list as an invalid configuration", async () => {
    const { code, stdout } = await workspace.run(["doctor"], lists("page.txt"));
    expect(code).toBe(1);
    expect(stdout).toContain(`${path("page.txt")} is a web page or XML, not a filter list`);
  });
});
