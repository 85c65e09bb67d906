import type { AdminAccount } from "@snap/protocol";
import type { JSX } from "preact";
import { Badge } from "../ui/badge.tsx";

export function AccountBadge({ account }: { readonly account: AdminAccount }): JSX.Element {
  if (account.deletion_started_at !== null) return <Badge tone="bad">Being deleted</Badge>;
  if (account.suspended_at !== null) return <Badge tone="bad">Suspended</Badge>;
  if (account.verified_at === null) return <Badge tone="warn">Not verified</Badge>;
  if (account.plan === null) return <Badge tone="warn">No plan</Badge>;
  return <Badge tone="good">Active</Badge>;
}
