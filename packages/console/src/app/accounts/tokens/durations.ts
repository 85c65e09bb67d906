/** In seconds. */
export const EXPIRIES = [
  { value: "", label: "Never" },
  { value: "604800", label: "In 7 days" },
  { value: "2592000", label: "In 30 days" },
  { value: "7776000", label: "In 90 days" },
  { value: "31536000", label: "In a year" },
];

/** In seconds. The service allows at most 30 days. */
export const OVERLAPS = [
  { value: "0", label: "Immediately" },
  { value: "3600", label: "After 1 hour" },
  { value: "86400", label: "After 24 hours" },
  { value: "604800", label: "After 7 days" },
  { value: "2592000", label: "After 30 days" },
];
