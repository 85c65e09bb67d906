import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../src/machine/run.ts";
import { DEBIAN_PYTHON } from "../../src/machine/system-parts.ts";
import { ROOT } from "../../src/workspace.ts";

const profile = JSON.parse(readFileSync(join(ROOT, "packages/server/deploy/seccomp.json"), "utf8")) as {
  readonly syscalls: readonly { readonly names: readonly string[] }[];
};
const COMPILER = join(import.meta.dirname, "seccomp-filter.py");

it("seccomp.json blocks system calls that reach into the kernel or other processes", () => {
  const dangerous =
    "acct add_key bpf clone3 delete_module fanotify_init finit_module fsopen init_module io_uring_setup iopl ioperm kcmp " +
    "kexec_load keyctl mount mount_setattr move_mount move_pages open_by_handle_at open_tree perf_event_open " +
    "personality pivot_root process_vm_readv process_vm_writev ptrace quotactl reboot request_key setns swapon " +
    "syslog umount2 userfaultfd";
  const names = profile.syscalls.flatMap((rule) => rule.names);
  expect(names.filter((name) => dangerous.split(" ").includes(name))).toEqual([]);
});

describe("the browser under seccomp.json", { tags: ["browser", "seccomp"] }, () => {
  let folder: string;
  let filter: string;

  /** Compiles a profile to a file, and returns its path. */
  async function compile(name: string, uncompiled: object): Promise<string> {
    const [source, file] = [join(folder, `${name}.json`), join(folder, name)];
    await writeFile(source, JSON.stringify(uncompiled));
    const { ok, output } = await run(DEBIAN_PYTHON, [COMPILER, source, file]);
    if (!ok) throw new Error(output);
    return file;
  }

  /** Runs a command under a filter, as the current user. bwrap reads the filter from a file descriptor. */
  const runFiltered = (compiled: string, command: readonly string[]): ReturnType<typeof run> =>
    run(
      "/bin/sh",
      [
        "-c",
        'exec 9<"$1"; shift; exec bwrap --dev-bind / / --cap-add ALL --seccomp 9 -- "$@"',
        "sh",
        compiled,
        ...command,
      ],
      { env: { SNAP_DATA_DIR: folder } },
    );

  /** Runs `snap-server doctor`, and returns the status of each check. */
  async function examine(compiled: string): Promise<Map<string, string>> {
    const command = join(ROOT, "packages/server/bin/snap-server.js");
    const { output } = await runFiltered(compiled, [process.execPath, command, "doctor", "--json"]);
    const { checks } = JSON.parse(output) as { checks: { name: string; status: string }[] };
    return new Map(checks.map(({ name, status }) => [name, status]));
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "snap-seccomp-"));
    filter = await compile("ours", profile);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("is allowed only system calls that exist", async () => {
    const unknown = { names: ["unshared"], action: "SCMP_ACT_ALLOW" };
    await expect(compile("unknown", { ...profile, syscalls: [unknown] })).rejects.toThrow("errno = -22");
  });

  it("starts in its sandbox and renders", async () => {
    const found = await examine(filter);
    expect(found.get("sandbox")).toBe("ok");
    expect(found.get("render")).toBe("ok");
    expect(found.get("storage")).toBe("ok");
  });

  it("has no sandbox if it cannot create namespaces", async () => {
    const syscalls = profile.syscalls.filter(({ names }) => !names.includes("unshare"));
    const threads = { names: ["clone"], action: "SCMP_ACT_ALLOW" };
    // The mask also includes CLONE_NEWUSER, CLONE_NEWPID and CLONE_NEWNET.
    const args = [{ index: 0, value: 0x7e020080, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }];
    const stricter = await compile("stricter", { ...profile, syscalls: [...syscalls, { ...threads, args }] });
    expect((await examine(stricter)).get("sandbox")).toBe("problem");
  });

  it("cannot create mount namespaces", async () => {
    const tryUnshare = (namespace: string): ReturnType<typeof run> =>
      runFiltered(filter, ["unshare", "--user", namespace, "true"]);
    expect(await tryUnshare("--net")).toEqual({ ok: true, output: "" });
    expect(await tryUnshare("--mount")).toEqual({
      ok: false,
      output: expect.stringContaining("Function not implemented"),
    });
  });
});
