/** What a filter list blocks. Each purpose has its own parameter: `blockAds` or `blockTrackers`. */
export const FILTER_LIST_PURPOSES = ["ads", "trackers"] as const;
export type FilterListPurpose = (typeof FILTER_LIST_PURPOSES)[number];

/** The filter lists' text for each purpose; several lists are joined with newlines. */
export type FilterListTexts = Readonly<Partial<Record<FilterListPurpose, string>>>;
