/**
 * The journal is written by every render and read by audits alone: an index over its accounts had each
 * reservation write a page of its own somewhere in it, a third of its time beside 10^7 lines.
 */
export const journalAsALog = "DROP INDEX journal_by_account;";
