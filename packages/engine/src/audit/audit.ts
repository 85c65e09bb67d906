import { DAY_MS } from "../days.ts";
import type { AuditEntry, AuditStore } from "../ports/audit.ts";
import type { Clock } from "../ports/clock.ts";

/** How long an entry is stored: 400 days. */
export const AUDIT_RETENTION_MS = 400 * DAY_MS;

/** The audit log: what operators changed, and which secrets they revealed or signed with. */
export interface AuditLog {
  /** Records a change, with the current time. */
  record(change: Omit<AuditEntry, "at">): Promise<AuditEntry>;
  /** Returns the entries of the last `withinMs` milliseconds, oldest first; `Infinity` for all. */
  list(request: { readonly withinMs: number }): Promise<readonly AuditEntry[]>;
}

export function createAuditLog({
  store,
  clock,
}: {
  readonly store: AuditStore;
  readonly clock: Clock;
}): AuditLog {
  return {
    async record(change) {
      const entry = { at: clock.now(), ...change };
      await store.append(entry);
      return entry;
    },
    list: ({ withinMs }) => store.list({ since: Math.max(0, clock.now() - withinMs) }),
  };
}
