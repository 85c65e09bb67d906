import { messageOf } from "@snap/engine/internals";
import type { AuditLog, Engine } from "@snap/engine";
import type { AuditEntry } from "@snap/engine/ports";
import { watchChanges } from "./watch-changes.ts";

/** A change by an operator, without its instant. */
export type Change = Omit<AuditEntry, "at">;

/**
 * Calls `work`. If that calls an engine method that changes something, calls `announce` with the subjects afterwards,
 * even if `work` fails; the error is then that of `work`, whether or not `announce` fails too.
 *
 * @param options.changed Subjects that have already changed.
 */
export async function recordChanges<T>(
  engine: Engine,
  {
    work,
    announce,
    changed,
  }: {
    readonly work: (watched: Engine) => Promise<T>;
    readonly announce: (subjects: readonly string[]) => Promise<void>;
    readonly changed?: readonly string[];
  },
): Promise<T> {
  const { watched, changes } = watchChanges(engine, changed);
  const announceChanges = async (): Promise<void> => {
    if (changes.made) await announce([...changes.subjects]);
  };
  let result: T;
  try {
    result = await work(watched);
  } catch (error) {
    await announceChanges().catch(() => {});
    throw error;
  }
  await announceChanges();
  return result;
}

/**
 * Adds a change to the audit log.
 *
 * @throws Error if it cannot be stored; the change has already been made.
 */
export async function addToAuditLog(audit: AuditLog, change: Change): Promise<void> {
  await audit.record(change).catch((error: unknown) => {
    throw new Error(`the change was made, but not added to the audit log: ${messageOf(error)}`, {
      cause: error,
    });
  });
}
