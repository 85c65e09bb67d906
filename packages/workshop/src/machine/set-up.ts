import { run } from "./run.ts";
import { type SetupTask, SYSTEM_PARTS, type SystemPart } from "./system-parts.ts";

/**
 * Installs the missing system parts of a task, if run as root on a system with apt. Prints each step, and the
 * command to install the parts that it could not install.
 *
 * @returns The parts that are still missing.
 */
export async function setUpMachine(task: SetupTask): Promise<SystemPart[]> {
  const parts = SYSTEM_PARTS.filter((part) => [...part.requiredFor, ...part.optionalFor].includes(task));
  const initiallyMissing = await findMissing(parts);
  if (initiallyMissing.length === 0) return [];
  const installable = initiallyMissing.filter(({ aptPackages }) => aptPackages.length > 0);
  if (installable.length > 0 && (await canInstall())) await install(installable);
  const missing = await findMissing(initiallyMissing);
  for (const part of missing) console.log(explain(part));
  return missing;
}

async function findMissing(parts: readonly SystemPart[]): Promise<SystemPart[]> {
  const present = await Promise.all(parts.map((part) => part.probe()));
  return parts.filter((_, index) => present[index] === false);
}

async function canInstall(): Promise<boolean> {
  return process.getuid?.() === 0 && (await run("apt-get", ["--version"])).ok;
}

async function install(parts: readonly SystemPart[]): Promise<void> {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  // Wait for other package managers, such as the automatic updates of a new machine.
  const options = ["-qq", "-o", "DPkg::Lock::Timeout=300"];
  console.log("updating Debian's package lists");
  await run("apt-get", [...options, "update"], { env });
  console.log(`installing ${parts.map(({ name }) => name).join(" and ")} (about half a minute)`);
  const { ok, output } = await run("apt-get", [...options, ...installCommand(parts)], { env });
  if (!ok) console.log(output);
}

function installCommand(parts: readonly SystemPart[]): string[] {
  return ["install", "-y", "--no-install-recommends", ...parts.flatMap(({ aptPackages }) => aptPackages)];
}

/** Names the missing part, its purpose, and the command to install it. */
function explain(part: SystemPart): string {
  const missing = `Missing: ${part.name}, needed ${part.purpose}.`;
  if (part.aptPackages.length === 0) return missing;
  return [
    `${missing} To install it on Debian, run:`,
    `  sudo apt-get ${installCommand([part]).join(" ")}`,
    ...(part.name === "browser" ? ["Or set SNAP_CHROMIUM_PATH to Chromium or Chrome."] : []),
  ].join("\n");
}
