/** What a picture should show. */
export const GREEN = "#2e7d32";
/** What a picture should not show. */
export const RED = "#c62828";
/** The place of something that has not loaded. */
export const GRAY = "#cfd8dc";
/** Headers, footers and other parts of a page that are there anyway. */
export const NAVY = "#283593";
export const WHITE = "#ffffff";
