import { arrow, drawing, FILLS, frame, labelledBox, note, type Box } from "./svg.ts";

/** How many of each there are in `packages/server/deploy/compose.cluster.yaml`. */
export const PROCESSES = { api: 3, worker: 2 } as const;

const WIDTH = 780;
const HEIGHT = 436;
const PROCESS = { width: 132, height: 64 };
const PITCH = 148;
const PROCESSES_Y = 148;
const PROXY: Box = { x: 122, y: 24, width: 220, height: 56 };
const PAGES: Box = { x: 524, y: 24, width: 220, height: 56 };
const RENDERS: Box = { x: 12, y: 126, width: 756, height: 104 };
const SHARED: Box = { x: 92, y: 296, width: 596, height: 116 };
const POSTGRES: Box = { x: 116, y: 316, width: 264, height: 72 };
const REDIS: Box = { x: 400, y: 316, width: 264, height: 72 };

/** Several machines: who takes requests, who renders, and what they share. */
export function drawMachines(): string {
  const apis = processes("api", 0);
  const workers = processes("worker", PROCESSES.api);
  return drawing(
    "Several machines: a load balancer, api processes and workers, PostgreSQL and Redis",
    { width: WIDTH, height: HEIGHT },
    [
      frame(RENDERS, "#ffffff"),
      note({ x: RENDERS.x + 14, y: RENDERS.y + RENDERS.height - 8 }, "each with a browser of its own"),
      frame(SHARED, "#ffffff"),
      note(
        { x: SHARED.x + SHARED.width / 2, y: SHARED.y + SHARED.height - 8 },
        "what all of them share",
        "middle",
      ),
      ...apis.map(({ box }) => arrow([bottomOf(PROXY), topOf(box)])),
      arrow([{ x: topOf(PAGES).x, y: RENDERS.y }, bottomOf(PAGES)]),
      note({ x: topOf(PAGES).x + 10, y: 108 }, "pages and webhooks"),
      arrow([bottomOf(RENDERS), topOf(SHARED)]),
      labelledBox(PROXY, { title: "load balancer", lines: ["any process will do"], fill: FILLS.yellow }),
      labelledBox(PAGES, { title: "the internet", lines: ["public addresses only"], fill: FILLS.grey }),
      ...[...apis, ...workers].map(({ box, title, lines }) =>
        labelledBox(box, { title, lines, fill: FILLS.blue }),
      ),
      labelledBox(POSTGRES, {
        title: "PostgreSQL",
        lines: ["accounts, tokens, credits,", "batches, due webhooks"],
        fill: FILLS.green,
      }),
      labelledBox(REDIS, {
        title: "Redis",
        lines: ["cached renderings, minute limits,", "renders under way"],
        fill: FILLS.green,
      }),
    ],
  );
}

interface Process {
  readonly box: Box;
  readonly title: string;
  readonly lines: readonly string[];
}

function processes(role: keyof typeof PROCESSES, place: number): Process[] {
  return Array.from({ length: PROCESSES[role] }, (_, index) => ({
    box: { ...PROCESS, x: 28 + (place + index) * PITCH, y: PROCESSES_Y - 8 },
    title: `${role}-${index + 1}`,
    lines: role === "api" ? ["answers requests"] : ["renders batches,", "sends webhooks"],
  }));
}

function topOf({ x, y, width }: Box): { x: number; y: number } {
  return { x: x + width / 2, y };
}

function bottomOf({ x, y, width, height }: Box): { x: number; y: number } {
  return { x: x + width / 2, y: y + height };
}
