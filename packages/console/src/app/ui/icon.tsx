import type { JSX } from "preact";

/** Outlines on a 20 × 20 grid. */
const PATHS = {
  home: "M3 9.5 10 3.5l7 6V16a1 1 0 0 1-1 1h-3.5v-5h-5v5H4a1 1 0 0 1-1-1z",
  playground:
    "M3 7V4a1 1 0 0 1 1-1h3M13 3h3a1 1 0 0 1 1 1v3M17 13v3a1 1 0 0 1-1 1h-3M7 17H4a1 1 0 0 1-1-1v-3M8 7.5v5l4.5-2.5z",
  requests: "M3 5h14M3 10h14M3 15h9",
  batches: "M10 3 3 6.5l7 3.5 7-3.5zM3 10l7 3.5 7-3.5M3 13.5 10 17l7-3.5",
  accounts:
    "M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6M2.5 16.5a5 5 0 0 1 10 0M13 4a3 3 0 0 1 0 5.5M14.5 12a5 5 0 0 1 3 4.5",
  usage: "M3 17h14M5.5 17v-5M10 17V4M14.5 17V8",
  copy: "M7 7V4a1 1 0 0 1 1-1h8a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1h-3M4 7h8a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1",
  warning: "M10 3 2.5 16.5h15zM10 8v4M10 14.2v.1",
  close: "m5 5 10 10M15 5 5 15",
  menu: "M3 5.5h14M3 10h14M3 14.5h14",
  file: "M5 2.5h6.5l4 4V17a.5.5 0 0 1-.5.5H5a.5.5 0 0 1-.5-.5V3a.5.5 0 0 1 .5-.5M11.5 2.5v4h4",
  image:
    "M4 3.5h12a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1M3 14l4-4 3 3 2.5-2.5L17 15M12.5 7.5h.1",
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon, hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
