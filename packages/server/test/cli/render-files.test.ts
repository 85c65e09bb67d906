import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PNG } from "pngjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLocalPage } from "../../src/cli/local-page.ts";
import { openWorkspace } from "./command.ts";

const workspace = openWorkspace();
afterAll(() => workspace.cleanUp());

const fileIn = (name: string): Promise<Buffer> => readFile(join(workspace.directory, name));
const write = (name: string, content: string | Buffer): Promise<void> =>
  writeFile(join(workspace.directory, name), content);

const GREEN = [0, 170, 119, 255];

beforeAll(async () => {
  for (const folder of ["site/css", "site/.git", "site/empty", "report", "leaves", "hides"])
    await mkdir(join(workspace.directory, folder), { recursive: true });
  await write("outside.txt", "outside");
  await write("site/.env", "hidden");
  await write("site/.git/config", "hidden");
  await write("site/notes.txt", "inside");
  await write("site/css/style.css", "body { background: #0a7; }");
  for (const [target, name] of [
    ["../outside.txt", "leaves.txt"],
    ["..", "up"],
    [".env", "shows-hidden.txt"],
    ["notes.txt", "stays.txt"],
    ["/dev/zero", "endless"],
  ] as const)
    await symlink(target, join(workspace.directory, "site", name));
  // the rendering is green only if css/style.css and the first three of these paths are served
  await write(
    "site/my page.html",
    `<!doctype html><link rel=stylesheet href=css/style.css><script type=module>
      const status = async (path) => (await fetch(path)).status;
      const seen = await Promise.all(["notes.txt", "/notes.txt", "stays.txt", "leaves.txt", "up/outside.txt",
        "%2e%2e%2foutside.txt", ".env", ".git/config", "shows-hidden.txt", "endless", "css", "none.txt"].map(status));
      if (seen.join() !== "200,200,200,404,404,404,404,404,404,404,404,404") document.body.textContent = seen.join();
      if (!/my%20page[.]html$/.test(location) || !isSecureContext) document.body.textContent = location;
      if (document.body.textContent) document.body.style.background = "red";
      window.isDone = true;
    </script>`,
  );
  await write("site/index.html", "<body style='background: #0a7'>");
  await write("report/index.md", "# Report\n\n<style>:root { background: #0a7 }</style>\n");
  await symlink("/etc/passwd", join(workspace.directory, "leaves/index.html"));
  await write("hides/.env", "hidden");
  await symlink(".env", join(workspace.directory, "hides/index.md"));
  await mkdir(join(workspace.directory, "releases/5"), { recursive: true });
  await symlink("releases/5", join(workspace.directory, "current"));
  await write("releases/index.html", "<body style='background: #0a7'>");
  await write("index.html", "<body style='background: red'>");
  await write("latin.html", Buffer.from("caf\xe9", "latin1"));
  await write("page.txt", "text");
});

describe("a file of a page", () => {
  it("is found if its name is decomposed, as in archives that macOS makes", async () => {
    await write("site/css/sto\u0308.css", "decomposed");
    const page = await openLocalPage(join(workspace.directory, "site"));
    const file = await page?.document.readFile("css/st\u00f6.css");
    expect(file).toMatchObject({ path: "css/st\u00f6.css", bytes: Buffer.from("decomposed") });
  });
});

describe("render with a path", { tags: ["browser"] }, () => {
  it("serves the files in the page's folder, but no hidden file and none outside the folder", async () => {
    const page = ["render", "site/my page.html", "-o", "a.png", "--wait-for-function", "window.isDone"];
    expect(await workspace.json(page)).toMatchObject({ file: "a.png", target_status: 200, notes: [] });
    const { data } = PNG.sync.read(await fileIn("a.png"));
    expect([...data.subarray(-4)]).toEqual(GREEN);
  });

  it("accepts a folder with an index", async () => {
    expect(await workspace.json(["render", "site", "-o", "b.png"])).toMatchObject({ target_status: 200 });
    const { data } = PNG.sync.read(await fileIn("b.png"));
    expect([...data.subarray(-4)]).toEqual(GREEN);
  });

  it.each(["current/../index.html", "current/.."])(
    "follows the link before .., as the system does: %s",
    async (path) => {
      expect(await workspace.json(["render", path, "-o", "e.png"])).toMatchObject({ target_status: 200 });
      const { data } = PNG.sync.read(await fileIn("e.png"));
      expect([...data.subarray(-4)]).toEqual(GREEN);
    },
  );

  it("converts Markdown", async () => {
    const outcome = await workspace.run(["render", "report/", "-o", "c.png"]);
    expect(outcome).toMatchObject({ code: 0, stdout: "" });
    const { data } = PNG.sync.read(await fileIn("c.png"));
    expect([...data.subarray(-4)]).toEqual(GREEN);
  });
});

describe("render exits with code 2, before it starts a browser, for", () => {
  it.each([
    ["missing.html", "missing.html does not exist; pass the path of a page, or a URL that starts with http"],
    ["./missing", "./missing does not exist"],
    ["site/empty", "the folder site/empty has no index.html or index.md; pass the page's file"],
    [
      "leaves",
      "leaves/index.html is a link to a missing or hidden file, or to one outside the folder; pass the page's file",
    ],
    [
      "hides",
      "hides/index.md is a link to a missing or hidden file, or to one outside the folder; pass the page's file",
    ],
    ["page.txt", "page.txt is not a page; pass an .html, .htm or .md file, or a folder with an index"],
    ["latin.html", "latin.html must be encoded as UTF-8"],
    [
      "example.com",
      "URL must be an absolute URL that starts with http:// or https://, or the path to a folder or to an .html, .htm or .md file",
    ],
    ["file:///etc/passwd", "URL must be an absolute URL that starts with http:// or https://"],
  ])("%s", async (page, message) => {
    const environment = { SNAP_CHROMIUM_PATH: "/nowhere/chromium" };
    const { code, stderr } = await workspace.run(["render", page, "-o", "d.png"], environment);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});
