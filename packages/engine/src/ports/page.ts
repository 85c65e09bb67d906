/** Selects a part of a list. */
export interface PageRequest {
  /** Id of the last entry on the previous page; absent for the first page. */
  readonly after?: string | undefined;
  /** Maximum number of entries. */
  readonly limit: number;
}

/** A part of a list. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** Number of entries after these. */
  readonly more: number;
}
