import type { AdminHealth, AdminProblem } from "@snap/protocol";
import { callRemote, notServedError } from "../../admin/operations/remote-call.ts";
import { findingOf, ok, type Finding } from "../../findings/finding.ts";
import { FINDING_CHECKS, OperatorError, type FindingCode } from "../../operator-error.ts";

/** Reports the problems of the service at SNAP_ADMIN_URL. */
export async function checkAdminApi(url: string, token: string): Promise<readonly Finding[]> {
  try {
    const request = { path: "/health", requiredField: "version" } as const;
    const { version, problems } = await callRemote<Partial<AdminHealth>>({ url, token }, request);
    if (!Array.isArray(problems)) throw notServedError(url);
    return [ok("admin API", `${url} responds, version ${version}`), ...problems.map(toFinding)];
  } catch (error) {
    if (error instanceof OperatorError) return [findingOf(error)];
    throw error;
  }
}

function toFinding({ code, advice, ...rest }: AdminProblem): Finding {
  // a later release of the service may have more codes
  const known = code as FindingCode;
  return {
    name: FINDING_CHECKS[known] ?? "admin API",
    code: known,
    ...rest,
    ...(advice !== null && { advice }),
  };
}
