import { HTTP_LIMITS } from "../../../../server/src/requests/limits.ts";
import { BATCH_LIMITS, CAPTURE_LIMITS, LIMITS } from "@snap/protocol";
import { code, count, readComments, table, type ReferencePage } from "./page.ts";

export const limitsPage: ReferencePage = {
  file: "limits.md",
  title: "Limits",
  summary: "Every number that bounds what can be asked for, with its unit.",
  parts: () => [
    "A limit per minute is an account's: its window opens with the first request and ends 60 seconds later. Beyond it the answer is 429 `rate_limited`, whose `Retry-After` is exact. What a single parameter can be is in [the parameters](parameters.md).",
    "## Requests",
    limitsTable(LIMITS, "LIMITS"),
    "## Batches",
    limitsTable(BATCH_LIMITS, "BATCH_LIMITS"),
    "## Size of a picture",
    "Where the parameters alone show that a capture is beyond these, it is refused with `validation_failed`. Where only the page shows it, the render fails with `render_failed`, and is refunded.",
    table(
      ["what", "at most"],
      [
        ["pixels in all, after `scale`", count(CAPTURE_LIMITS.devicePixels)],
        ...Object.entries(CAPTURE_LIMITS.sidePixels)
          .filter(([, side]) => Number.isFinite(side))
          .map(([format, side]) => [`pixels of a side, ${code(`format=${format}`)}`, count(side)]),
      ],
    ),
    "## What the server reads",
    table(
      ["what", "at most"],
      [
        ["body of a request", `${count(HTTP_LIMITS.bodyBytes)} bytes`],
        ["request line and headers together", `${count(HTTP_LIMITS.headerBytes)} bytes`],
        ["time for a whole request to arrive", inWords(HTTP_LIMITS.requestMs / 1000)],
      ],
    ),
    "A picture that [an assistant](../how-to/connect-an-assistant.md) is shown has at most 700,000 bytes, and 8,000 pixels on a side; a larger one comes as a link. How long a render may take is in [the configuration](configuration.md).",
  ],
};

function limitsTable(limits: Readonly<Record<string, number>>, name: string): string {
  const meaning = readComments("packages/protocol/src/limits.ts", name);
  return table(
    ["limit", "meaning"],
    Object.entries(limits).map(([limit, value]) => [quantity(limit, value), meaning(limit)]),
  );
}

/** The unit is the end of the name. */
function quantity(name: string, value: number): string {
  if (name.endsWith("PerMinute")) return `${count(value)} a minute`;
  if (name.endsWith("Characters")) return `${count(value)} characters`;
  if (name.endsWith("Ms")) return inWords(value / 1000);
  if (name.endsWith("Seconds")) return `${count(value)} s${value < 3600 ? "" : `, ${inWords(value)}`}`;
  return count(value);
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

function inWords(seconds: number): string {
  const [unit, length] = UNITS.find(([, each]) => seconds % each === 0) ?? (["second", 1] as const);
  return (seconds / length).toLocaleString("en-US", { style: "unit", unit, unitDisplay: "long" });
}
