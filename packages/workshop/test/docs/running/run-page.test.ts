import { existsSync } from "node:fs";
import { join } from "node:path";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parsePage } from "../../../src/docs/markdown.ts";
import { runPage, type PageService } from "./run-page.ts";

let service: PageService;
beforeEach(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "snap-data-"));
  service = { port: 4321, dataDir, variables: { TOKEN: "1|s3cret" } };
});
afterEach(() => rm(service.dataDir, { recursive: true }));

const sh = (command: string): string => `\`\`\`sh\n${command}\n\`\`\`\n\n`;
const text = (output: string): string => `\`\`\`text\n${output}\n\`\`\`\n\n`;
const runText = (markdown: string): Promise<string | null> =>
  runPage(parsePage("docs/a.md", markdown), service);

describe("runPage", () => {
  it("runs the blocks on a page in one shell, and compares their output", async () => {
    const page = `# A\n\n${sh("NAME=ada\nmkdir work && cd work")}## B\n\n${sh('echo "$NAME $TOKEN"; basename "$PWD"')}which says\n\n${text("ada 1|…\nwork")}`;
    expect(await runText(page)).toBeNull();
  });

  it("reads stdout and stderr, and replaces the service's addresses", async () => {
    const command = "echo http://127.0.0.1:3000/v1 127.0.0.1%3A3001 >&2; echo $SNAP_PORT";
    expect(await runText(sh(command) + text("http://127.0.0.1:3000/v1 127.0.0.1%3A3001\n4321"))).toBeNull();
    expect(
      await runText(
        sh(`${command} | cat; echo http://127.0.0.1:30001/`) + text("…\nhttp://127.0.0.1:30001/"),
      ),
    ).toBeNull();
    expect(await runText(sh("echo http://127.0.0.1:3000/ | grep 4321"))).toBeNull();
  });

  it("reports output that does not match, with its location", async () => {
    const problem = await runText(`# A\n\n${sh("echo one")}${text("two")}`);
    expect(problem).toBe("docs/a.md:3: unexpected output:\necho one\n--- actual\none\n--- expected\ntwo");
  });

  it.each(["false\necho on", "false | cat", "exit 3", "no-such-command", "echo 'unended"])(
    "reports a failed command: %s",
    async (command) => {
      expect(await runText(sh(command))).toMatch(/^docs\/a[.]md:1: failed:/);
    },
  );

  it("stops at the first problem", async () => {
    const mark = join(service.dataDir, "mark");
    expect(await runText(sh("false") + sh(`touch ${mark}`))).toMatch(/failed/);
    expect(existsSync(mark)).toBe(false);
  });

  it("skips blocks marked `not run` with a reason, and their expected output", async () => {
    expect(
      await runText(`<!-- not run: not available here -->\n\n${sh("false")}${text("nothing")}`),
    ).toBeNull();
    expect(await runText(`<!-- not run -->\n\n${sh("false")}`)).toMatch(/failed/);
  });

  it("closes the standard input of commands", async () => {
    expect(await runText(sh("cat\necho done") + text("done"))).toBeNull();
  });

  it("stops processes that a page has left running", async () => {
    const { dataDir } = service;
    const program = `
      process.on("SIGTERM", () => { fs.writeFileSync("${dataDir}/ended", ""); process.exit(); });
      setInterval(() => {}, 1000);
      fs.writeFileSync("${dataDir}/up", "");`;
    expect(await runText(sh(`node -e '${program}' &\nuntil [ -e data/up ]; do sleep 0.1; done`))).toBeNull();
    expect(existsSync(join(dataDir, "ended"))).toBe(true);
  });

  it("stops the running command when the signal aborts", async () => {
    const controller = new AbortController();
    const page = parsePage("docs/a.md", sh("touch data/up\nsleep 600"));
    const running = runPage(page, service, controller.signal);
    await expect.poll(() => existsSync(join(service.dataDir, "up"))).toBe(true);
    controller.abort();
    expect(await running).toMatch(/^docs\/a[.]md:1: failed:/);
  });

  it("makes `snap-server` and the packages available, as in a clone", async () => {
    expect(
      await runText(
        sh("npx snap-server --version | cut -c1-5; ls packages/client/package.json; ls -A") +
          text("0.0.0\n…\npackages"),
      ),
    ).toBeNull();
  });
});
