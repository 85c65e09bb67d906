import { run } from "./run.ts";
import { type Errand, SYSTEM_PARTS, type SystemPart } from "./system-parts.ts";

/**
 * Installs the system parts that an errand lacks, where that is possible: as root, with apt. Says
 * what it does in a line each, and names the command to type for what it could not get.
 *
 * @returns The parts that are still missing.
 */
export async function setUpMachine(errand: Errand): Promise<SystemPart[]> {
  const wanted = SYSTEM_PARTS.filter((part) => [...part.neededBy, ...part.likedBy].includes(errand));
  const absent = await findMissing(wanted);
  if (absent.length === 0) return [];
  const installable = absent.filter(({ aptPackages }) => aptPackages.length > 0);
  if (installable.length > 0 && (await mayInstall())) await install(installable);
  const missing = await findMissing(absent);
  for (const part of missing) console.log(explain(part));
  return missing;
}

async function findMissing(parts: readonly SystemPart[]): Promise<SystemPart[]> {
  const present = await Promise.all(parts.map((part) => part.probe()));
  return parts.filter((_, index) => present[index] === false);
}

async function mayInstall(): Promise<boolean> {
  return process.getuid?.() === 0 && (await run("apt-get", ["--version"])).ok;
}

async function install(parts: readonly SystemPart[]): Promise<void> {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  // Another package manager at work, such as a new machine's own updates, is waited for.
  const quietly = ["-qq", "-o", "DPkg::Lock::Timeout=300"];
  console.log("reading Debian's package lists");
  await run("apt-get", [...quietly, "update"], { env });
  console.log(`installing ${parts.map(({ name }) => name).join(" and ")} (about half a minute)`);
  const { ok, output } = await run("apt-get", [...quietly, ...installCommand(parts)], { env });
  if (!ok) console.log(output);
}

function installCommand(parts: readonly SystemPart[]): string[] {
  return ["install", "-y", "--no-install-recommends", ...parts.flatMap(({ aptPackages }) => aptPackages)];
}

/** What is missing, what for, and the command that brings it, if there is one. */
function explain(part: SystemPart): string {
  const missing = `missing: ${part.name}, needed ${part.purpose}.`;
  if (part.aptPackages.length === 0) return missing;
  return [
    `${missing} On Debian, this installs it:`,
    `  sudo apt-get ${installCommand([part]).join(" ")}`,
    ...(part.name === "browser" ? ["Or set SNAP_CHROMIUM_PATH to a Chromium or Chrome."] : []),
  ].join("\n");
}
