import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPort } from "../../../testing/test/servers/open-port.ts";
import { CLI, openWorkspace } from "./command.ts";

const workspace = openWorkspace();
const received: IncomingHttpHeaders[] = [];
const server = createServer(({ headers }, response) => {
  received.push(headers);
  response.end("fine");
});
let target: string;
let closeServer: () => Promise<void>;
beforeAll(async () => {
  const { port, close } = await openPort(server);
  target = `127.0.0.1:${port}`;
  closeServer = close;
});
afterAll(async () => {
  await closeServer();
  await workspace.cleanUp();
});

describe("render", { tags: ["browser"] }, () => {
  it("reads secrets from files and stdin, and drops trailing newlines", async () => {
    await writeFile(join(workspace.directory, "headers.json"), '{ "X-Preview": "s3cr3t" }\n');
    await writeFile(join(workspace.directory, "password.txt"), "ada:s3cr3t\r\n");
    const secrets = ["--headers", "@headers.json", "--basic-auth", "@password.txt", "--cookies", "@-"];
    const args = ["render", `http://${target}/`, "-o", "a.png", "--allow-target", target, ...secrets];
    const { directory: cwd, environment: env } = workspace;
    const cli = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: ["pipe", "ignore", "pipe"] });
    let stderr = "";
    cli.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    cli.stdin.end('[{ "name": "session", "value": "s3cr3t" }]\n');
    expect(await once(cli, "close")).toEqual([0, null]);
    expect(received[0]).toMatchObject({
      "x-preview": "s3cr3t",
      authorization: "Basic YWRhOnMzY3IzdA==",
      cookie: "session=s3cr3t",
    });
    expect(stderr).not.toContain("s3cr3t");
  });
});

describe("render exits with code 2 and repeats no secret for", () => {
  it.each([
    [["--basic-auth", "@missing.txt"], "cannot read missing.txt: "],
    [["--headers", "@-", "--cookies", "@-"], "two options read stdin; put one of the values into a file"],
    [["--basic-auth", "s3cr3t"], "--basic-auth must be user:password"],
    [
      ["--headers", '{"Host":"s3cr3t"}'],
      "--headers must not have Host, which the browser or the connection sets",
    ],
    [
      ["--headers", '{"Authorization":"s3cr3t"}', "--basic-auth", "ada:s3cr3t"],
      "--basic-auth cannot be combined with an Authorization field in --headers",
    ],
  ])("%j", async (args, message) => {
    const { code, stderr } = await workspace.run(["render", "https://example.com/", "-o", "a.png", ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).not.toContain("s3cr3t");
  });
});
