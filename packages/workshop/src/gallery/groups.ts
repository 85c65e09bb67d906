import type { Entry, Group } from "./entry.ts";
import { ACCESS } from "./pages/access.ts";
import { APPEARANCE } from "./pages/appearance.ts";
import { BLOCKING } from "./pages/blocking.ts";
import { CHANGES } from "./pages/changes.ts";
import { CONSENT } from "./pages/consent.ts";
import { LAYOUT } from "./pages/layout.ts";
import { LAZY } from "./pages/lazy.ts";
import { LOADING } from "./pages/loading.ts";
import { MOTION } from "./pages/motion.ts";

/** The whole gallery, in the order of its page. */
export const GROUPS: readonly Group[] = [
  LAZY,
  LAYOUT,
  MOTION,
  LOADING,
  CONSENT,
  BLOCKING,
  APPEARANCE,
  ACCESS,
  CHANGES,
];

export const ENTRIES: readonly Entry[] = GROUPS.flatMap(({ entries }) => entries);
