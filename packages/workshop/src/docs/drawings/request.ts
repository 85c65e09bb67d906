import { arrow, drawing, FILLS, frame, labelledBox, note, text, type Box } from "./svg.ts";

interface Stage {
  readonly name: string;
  /** The module that does it, below the root. */
  readonly module: string;
}

/** Ways in; each leads to who is asking. */
export const DOORS: readonly (Stage & { readonly asks: "token" | "signature" | "record" })[] = [
  { name: "GET /v1/snap", module: "packages/server/src/http/app.ts", asks: "token" },
  { name: "tools of /mcp", module: "packages/server/src/mcp/create-mcp-server.ts", asks: "token" },
  { name: "GET /v1/snap/signed", module: "packages/server/src/http/signed.ts", asks: "signature" },
  { name: "item of a batch", module: "packages/engine/src/batches/item-worker.ts", asks: "record" },
];

/** Who is asking: what makes a principal of a request. */
export const WHO: Readonly<Record<"token" | "signature" | "record", Stage>> = {
  token: { name: "bearer token", module: "packages/engine/src/tokens/authenticate.ts" },
  signature: { name: "signature and expiry", module: "packages/engine/src/tokens/authenticate-signed.ts" },
  record: { name: "its submitter's token", module: "packages/engine/src/batches/item-worker.ts" },
};

/** What `capture()` does, in its order; each module is imported by packages/engine/src/capture.ts. */
export const STEPS: readonly Stage[] = [
  { name: "parse", module: "packages/engine/src/parameters/parse-request.ts" },
  { name: "authorize", module: "packages/engine/src/tokens/authorize.ts" },
  { name: "check target", module: "packages/engine/src/targets/check-target.ts" },
  { name: "look up", module: "packages/engine/src/cache/look-up.ts" },
  { name: "share", module: "packages/engine/src/cache/share.ts" },
  { name: "limit", module: "packages/engine/src/limits/enforce-rate-limit.ts" },
  { name: "reserve", module: "packages/engine/src/credits/reservation.ts" },
  { name: "render", module: "packages/engine/src/schedule/render.ts" },
  { name: "store", module: "packages/engine/src/cache/store.ts" },
  { name: "settle", module: "packages/engine/src/credits/reservation.ts" },
];

const WIDTH = 760;
const HEIGHT = 812;
const DOOR = { width: 173, height: 66 };
const DOORS_Y = 24;
const WHO_Y = 130;
const CAPTURE: Box = { x: 150, y: 236, width: 440, height: 454 };
const STEP_HEIGHT = 34;
const STEPS_Y = CAPTURE.y + 48;
const STEP_PITCH = 40;
const ANSWER: Box = { x: 260, y: 732, width: 220, height: 56 };
const REFUND: Box = { x: 16, y: STEPS_Y + 7 * STEP_PITCH, width: 92, height: 2 * STEP_PITCH + STEP_HEIGHT };
/** Where the way of a cache hit runs down. */
const HIT_X = 640;

/** The way of a request, from its door to its answer. */
export function drawRequest(): string {
  return drawing(
    "The way of a request: a door, who is asking, the steps of capture(), the answer",
    { width: WIDTH, height: HEIGHT },
    [
      ...drawWaysIn(),
      frame(CAPTURE, "#ffffff"),
      text({ x: CAPTURE.x + 20, y: CAPTURE.y + 29 }, "capture()", { size: 15, weight: "bold" }),
      note({ x: CAPTURE.x + CAPTURE.width - 20, y: CAPTURE.y + 29 }, "packages/engine/src/capture.ts", "end"),
      ...STEPS.map((step, index) => stepRow(step, index)),
      ...drawWaysOut(),
      labelledBox(ANSWER, {
        title: "answer",
        lines: ["the file, or one error envelope"],
        fill: FILLS.yellow,
      }),
    ],
  );
}

/** Doors, and below them who is asking: between the doors that ask in the same way. */
function drawWaysIn(): string[] {
  const into = CAPTURE.x + CAPTURE.width / 2;
  const shapes: string[] = [];
  for (const asks of ["token", "signature", "record"] as const) {
    const doors = DOORS.flatMap((door, index) => (door.asks === asks ? [{ door, box: doorBox(index) }] : []));
    const box = { ...DOOR, x: average(doors.map((each) => each.box.x)), y: WHO_Y };
    const who = bottomOf(box);
    shapes.push(stageBox(box, WHO[asks], FILLS.green));
    for (const each of doors) {
      const from = bottomOf(each.box);
      shapes.push(
        stageBox(each.box, each.door, FILLS.yellow),
        arrow([from, { x: (from.x + who.x) / 2, y: WHO_Y }]),
      );
    }
    shapes.push(arrow([who, { x: (into + who.x) / 2, y: CAPTURE.y }]));
  }
  return shapes;
}

/** After the last step, from the cache, and after a failure. */
function drawWaysOut(): string[] {
  const middle = CAPTURE.x + CAPTURE.width / 2;
  const answerY = ANSWER.y + ANSWER.height / 2;
  const hit = rowOf("look up");
  const failing = [rowOf("render"), rowOf("store"), rowOf("settle")];
  const refund = bottomOf(REFUND);
  return [
    arrow([
      { x: middle, y: CAPTURE.y + CAPTURE.height },
      { x: middle, y: ANSWER.y },
    ]),
    arrow(
      [
        { x: hit.x + hit.width, y: hit.y + STEP_HEIGHT / 2 },
        { x: HIT_X, y: hit.y + STEP_HEIGHT / 2 },
        { x: HIT_X, y: answerY },
        { x: ANSWER.x + ANSWER.width, y: answerY },
      ],
      "dashed",
    ),
    note({ x: HIT_X + 10, y: hit.y + 14 }, "hit: one of the"),
    note({ x: HIT_X + 10, y: hit.y + 28 }, "cached answers,"),
    note({ x: HIT_X + 10, y: hit.y + 42 }, "no credit"),
    labelledBox(REFUND, { title: "refund", lines: ["of the credit"], fill: FILLS.grey }),
    ...failing.map((row) =>
      arrow(
        [
          { x: row.x, y: row.y + STEP_HEIGHT / 2 },
          { x: REFUND.x + REFUND.width, y: row.y + STEP_HEIGHT / 2 },
        ],
        "dashed",
      ),
    ),
    note({ x: REFUND.x + REFUND.width / 2, y: REFUND.y - 10 }, "when it fails", "middle"),
    arrow([refund, { x: refund.x, y: answerY }, { x: ANSWER.x, y: answerY }], "dashed"),
  ];
}

function stepRow({ name, module }: Stage, index: number): string {
  const box = stepBox(index);
  const baseline = box.y + STEP_HEIGHT / 2 + 5;
  return [
    frame(box, FILLS.blue),
    text({ x: box.x + 14, y: baseline }, `${index + 1}  ${name}`, { size: 14, weight: "bold" }),
    note({ x: box.x + box.width - 14, y: baseline - 1 }, shorten(module), "end"),
  ].join("\n");
}

function stepBox(index: number): Box {
  return {
    x: CAPTURE.x + 20,
    y: STEPS_Y + index * STEP_PITCH,
    width: CAPTURE.width - 40,
    height: STEP_HEIGHT,
  };
}

function rowOf(name: string): Box {
  return stepBox(STEPS.findIndex((step) => step.name === name));
}

function doorBox(index: number): Box {
  return { ...DOOR, x: 16 + index * (DOOR.width + 12), y: DOORS_Y };
}

function stageBox(box: Box, { name, module }: Stage, fill: string): string {
  return labelledBox(box, { title: name, lines: splitPath(module), fill });
}

function bottomOf({ x, y, width, height }: Box): { x: number; y: number } {
  return { x: x + width / 2, y: y + height };
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Folder and file, a line each. */
function splitPath(module: string): string[] {
  const path = shorten(module);
  const file = path.lastIndexOf("/") + 1;
  return [path.slice(0, file), path.slice(file)];
}

/** Every module lies below packages/. */
function shorten(module: string): string {
  return module.replace("packages/", "");
}
