/** What a filter list is for: one parameter each, `blockAds` and `blockTrackers`. */
export const FILTER_LIST_PURPOSES = ["ads", "trackers"] as const;
export type FilterListPurpose = (typeof FILTER_LIST_PURPOSES)[number];

/** The text of the filter lists for each purpose; several lists are joined by line ends. */
export type FilterListTexts = Readonly<Partial<Record<FilterListPurpose, string>>>;
