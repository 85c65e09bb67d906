import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { run } from "../../src/machine/run.ts";
import { install, setUpMachine } from "../../src/machine/set-up.ts";
import type { SystemPart } from "../../src/machine/system-parts.ts";

/** Cannot update the lists, and installs nothing if one of the packages is unknown. */
const APT_GET = `#!/bin/sh
echo "$*" >>"$(dirname "$0")/calls"
case "$*" in
*update) echo "W: Temporary failure resolving deb.debian.org"; exit 100;;
*unknown*) echo "E: Unable to locate package unknown"; exit 100;;
esac
`;
/** Extracts no files. */
const DPKG_DEB = "#!/bin/sh\n";

function part(name: string, packages: Partial<SystemPart>): SystemPart {
  return { name, purpose: "to test", need: {}, probe: () => false, ...packages };
}

/** Puts the programs above on the PATH. Returns their folder, and what is printed. */
async function replaceApt(): Promise<{ readonly folder: string; readonly printed: () => string }> {
  const folder = await mkdtemp(join(tmpdir(), "snap-setup-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "apt-get"), APT_GET, { mode: 0o755 });
  await writeFile(join(folder, "dpkg-deb"), DPKG_DEB, { mode: 0o755 });
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"] ?? ""}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const log = vi.spyOn(console, "log").mockReturnValue();
  onTestFinished(() => log.mockRestore());
  return { folder, printed: () => log.mock.calls.flat().join("\n") };
}

it("installs the other parts if one cannot be installed or extracted", async () => {
  const { folder, printed } = await replaceApt();

  await install([
    part("a", { aptPackages: ["a1", "a2"] }),
    part("b", { aptPackages: ["unknown"] }),
    part("c", { aptProgram: { package: "c", path: "usr/bin/c" } }),
    part("d", { aptPackages: ["d"] }),
  ]);

  const calls = (await readFile(join(folder, "calls"), "utf8")).split("\n");
  const installed = calls.flatMap((call) => /--no-install-recommends (.*)/.exec(call)?.[1] ?? []);
  expect(installed).toEqual(["a1 a2 unknown d", "a1 a2", "unknown", "d"]);
  expect(printed()).toContain("W: Temporary failure resolving deb.debian.org");
  expect(printed()).toContain("E: Unable to locate package unknown");
  expect(printed()).toMatch(/cp: .*usr\/bin\/c/);
});

it("only reports the missing parts if it may not install", async () => {
  const { folder, printed } = await replaceApt();
  vi.stubEnv("CI", "");
  const getuid = vi.spyOn(process, "getuid").mockReturnValue(0);
  onTestFinished(() => getuid.mockRestore());
  await writeFile(join(folder, "fc-list"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const missing = await setUpMachine("start", false);
  expect(missing.map(({ name }) => name)).toContain("fonts");
  expect(printed()).toContain("Missing: fonts, needed ");
  expect(await readdir(folder)).not.toContain("calls");
});

it("says why the dependencies cannot be installed", async () => {
  const cache = await mkdtemp(join(tmpdir(), "snap-setup-"));
  onTestFinished(() => rm(cache, { recursive: true }));
  const { ok, output } = await run("npm", ["run", "--silent", "setup"], {
    env: {
      npm_config_cache: cache,
      npm_config_registry: "http://127.0.0.1:9",
      npm_config_fetch_retries: "0",
    },
  });
  expect(output).toContain("ECONNREFUSED");
  expect(ok).toBe(false);
});
