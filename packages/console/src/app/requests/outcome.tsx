import type { AdminRequest } from "@snap/protocol";
import type { JSX } from "preact";
import { Badge } from "../ui/badge.tsx";

/** Shows the error code, or the status of a success. */
export function Outcome({ status, code }: Pick<AdminRequest, "status" | "code">): JSX.Element {
  if (code === null) return <Badge tone="good">{status}</Badge>;
  return <Badge tone={status >= 500 ? "bad" : "warn"}>{code}</Badge>;
}
