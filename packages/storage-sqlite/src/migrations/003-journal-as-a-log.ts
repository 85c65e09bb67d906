/**
 * Every render writes the journal, and only audits read it. With the index on accounts, each reservation wrote an extra
 * page, which took a third of its time with 10^7 entries.
 */
export const journalAsALog = "DROP INDEX journal_by_account;";
