/** A part that a picture should show. */
export const GREEN = "#2e7d32";
/** A part that a picture should not show. */
export const RED = "#c62828";
/** A placeholder for a part that has not loaded. */
export const GRAY = "#cfd8dc";
/** Headings, buttons and other colored parts. */
export const NAVY = "#283593";
export const WHITE = "#ffffff";
