import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Outcome, PROGRAMS, run } from "./run.ts";
import { type AptProgram, type SetupTask, SYSTEM_PARTS, type SystemPart } from "./system-parts.ts";

/**
 * Installs the missing system parts of a task: from Debian packages if `mayInstall` is true and the
 * process is root on a system with apt, and from npm in CI. Prints each step and, for each part
 * that is still missing, the command to install it, if there is one.
 *
 * @returns The parts that are still missing.
 */
export async function setUpMachine(task: SetupTask, mayInstall = true): Promise<SystemPart[]> {
  const parts = SYSTEM_PARTS.filter(({ need }) => need[task] !== undefined);
  const initiallyMissing = await findMissing(parts);
  if (initiallyMissing.length === 0) return [];
  const installable = initiallyMissing.filter(
    ({ aptPackages, aptProgram }) => aptPackages !== undefined || aptProgram !== undefined,
  );
  if (mayInstall && installable.length > 0 && (await canInstall())) await install(installable);
  if (process.env["CI"]) await installFromNpm(initiallyMissing);
  const missing = await findMissing(initiallyMissing);
  for (const part of missing) console.log(explain(part));
  return missing;
}

async function findMissing(parts: readonly SystemPart[]): Promise<SystemPart[]> {
  const present = await Promise.all(parts.map(async (part) => part.probe()));
  return parts.filter((_, index) => present[index] === false);
}

async function canInstall(): Promise<boolean> {
  return process.getuid?.() === 0 && (await run("apt-get", ["--version"])).ok;
}

/** Installs the parts from Debian packages. What fails is printed; the other parts are still installed. */
export async function install(parts: readonly SystemPart[]): Promise<void> {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  // Wait for other package managers, such as the automatic updates of a new machine.
  const options = ["-qq", "-o", "DPkg::Lock::Timeout=300"];
  console.log("updating Debian's package lists");
  // By default, apt-get succeeds even if it cannot reach a mirror.
  printFailure(await run("apt-get", [...options, "--error-on=any", "update"], { env }));
  console.log(`installing ${parts.map(({ name }) => name).join(" and ")} (about half a minute)`);
  const aptParts = parts.filter(({ aptPackages }) => aptPackages !== undefined);
  const aptGet = (chosen: readonly SystemPart[]): Promise<Outcome> =>
    run("apt-get", [...options, ...installCommand(chosen)], { env });
  // All at once is faster, but apt-get then installs nothing if one of the packages does not exist.
  if (aptParts.length > 0 && !(await aptGet(aptParts)).ok)
    for (const part of aptParts) printFailure(await aptGet([part]));
  for (const { aptProgram } of parts) if (aptProgram !== undefined) await extract(aptProgram);
}

async function installFromNpm(parts: readonly SystemPart[]): Promise<void> {
  for (const { name, npmArgs } of parts) {
    if (npmArgs === undefined) continue;
    console.log(`installing ${name} (about half a minute)`);
    printFailure(await run("npm", npmArgs));
  }
}

/** Extracts a program from its package; installing the package could start a service. */
async function extract({ package: name, path }: AptProgram): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "snap-setup-"));
  try {
    const script = `${extractCommand(name)} && mkdir -p "$1" && cp ${path} "$1"`;
    printFailure(await run("sh", ["-c", script, "sh", PROGRAMS], { cwd: folder }));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function printFailure({ ok, output }: Outcome): void {
  if (!ok) console.log(output);
}

function extractCommand(name: string): string {
  return `apt-get download ${name} && dpkg-deb --extract ${name}_*.deb .`;
}

function installCommand(parts: readonly SystemPart[]): string[] {
  return [
    "install",
    "-y",
    "--no-install-recommends",
    ...parts.flatMap(({ aptPackages = [] }) => aptPackages),
  ];
}

/** The package lists of a new machine are missing or out of date. */
const UPDATE = "sudo apt-get update";

/** Names the missing part, its purpose, and the command to install it. */
function explain(part: SystemPart): string {
  const missing = `Missing: ${part.name}, needed ${part.purpose}.`;
  if (part.aptProgram !== undefined)
    return `${missing} To get it on Debian, run:\n  ${UPDATE} && ${extractCommand(part.aptProgram.package)}\nThen put ${part.aptProgram.path} on the PATH.`;
  if (part.npmArgs !== undefined) return `${missing} To get it, run:\n  npm ${part.npmArgs.join(" ")}`;
  if (part.aptPackages === undefined) return missing;
  return [
    `${missing} To install it on Debian, run:`,
    `  ${UPDATE} && sudo apt-get ${installCommand([part]).join(" ")}`,
    ...(part.name === "browser" ? ["Or set SNAP_CHROMIUM_PATH to Chromium or Chrome."] : []),
  ].join("\n");
}
