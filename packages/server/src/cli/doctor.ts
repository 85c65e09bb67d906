import type { Command } from "commander";
import { withJson } from "./admin.ts";
import type { Finding } from "../findings/finding.ts";
import { formatNoun } from "../format.ts";
import { EXIT_CODES } from "./errors.ts";
import { printJson, printLines } from "./output.ts";

/** `snap-server doctor`: checks this machine, and explains how to fix what does not work. */
export function addDoctor(program: Command): void {
  withJson(program.command("doctor"))
    .description(
      "check the browser, sandbox, fonts, storage and egress, and explain how to fix what does not work",
    )
    .action(async (options: { json?: true }) => {
      // Loaded lazily: other commands do not need it.
      const { examine } = await import("./doctor/examine.ts");
      const findings = await examine();
      const healthy = findings.every(({ status }) => status !== "problem");
      if (options.json) printJson({ ok: healthy, checks: findings });
      else printLines(...findings.flatMap(formatFinding), "", conclusion(findings));
      if (!healthy) process.exitCode = EXIT_CODES.failure;
    });
}

function formatFinding({ name, status, message, advice }: Finding): string[] {
  const line = `${status.padEnd(8)} ${name}: ${message}`;
  return advice === undefined ? [line] : [line, `${" ".repeat(9)}-> ${advice}`];
}

function conclusion(findings: readonly Finding[]): string {
  const count = (status: Finding["status"]): number =>
    findings.filter((finding) => finding.status === status).length;
  if (count("problem") > 0) return `${formatNoun(count("problem"), "problem")} to fix.`;
  return count("warning") > 0 ? "The service can start; see the warnings." : "No problems found.";
}
