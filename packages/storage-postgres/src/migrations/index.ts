import { initial } from "./001-initial.ts";
import { ledger } from "./002-ledger.ts";
import { batches } from "./003-batches.ts";
import { moves } from "./004-moves.ts";
import { keyMark } from "./005-key-mark.ts";

/** In order; the version of a database is the number of those it has been through. */
export const MIGRATIONS: readonly string[] = [initial, ledger, batches, moves, keyMark];
