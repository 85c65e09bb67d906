import { initial } from "./001-initial.ts";
import { batches } from "./002-batches.ts";
import { journalAsALog } from "./003-journal-as-a-log.ts";

/** In order; the version of a database is the number of those it has been through. */
export const MIGRATIONS: readonly string[] = [initial, batches, journalAsALog];
