/*
 * The values of the parameters that are a choice (interface.md, GET /snap), in the order in which
 * messages and descriptions name them.
 */

export const IMAGE_FORMATS = ["png", "jpeg", "webp"] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

export const WAIT_EVENTS = ["load", "domcontentloaded", "networkidle0", "networkidle2"] as const;
export type WaitEvent = (typeof WAIT_EVENTS)[number];

export const LENGTH_UNITS = ["mm", "cm", "in", "px"] as const;
export type LengthUnit = (typeof LENGTH_UNITS)[number];

export const PAPER_FORMATS = [
  "letter",
  "legal",
  "tabloid",
  "ledger",
  "a0",
  "a1",
  "a2",
  "a3",
  "a4",
  "a5",
  "a6",
] as const;
export type PaperFormat = (typeof PAPER_FORMATS)[number];
