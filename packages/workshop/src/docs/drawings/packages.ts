import { readPackages, type WorkspacePackage } from "../../repository/workspace.ts";
import { arrow, drawing, FILLS, labelledBox, note, type Box } from "./svg.ts";

interface Place {
  readonly column: number;
  readonly row: number;
  readonly lines: readonly string[];
}

/** Where each package stands, and what it is for. A package without a place fails the drawing. */
const PLACES: Readonly<Record<string, Place>> = {
  "@snap/server": {
    column: 1.5,
    row: 0,
    lines: ["the HTTP API, the tools for", "assistants, the command line"],
  },
  "@snap/storage-sqlite": { column: 0, row: 1, lines: ["everything durable, in one file"] },
  "@snap/storage-postgres": {
    column: 1,
    row: 1,
    lines: ["everything durable", "of several machines"],
  },
  // Beside the line that goes around.
  "@snap/storage-redis": { column: 2.5, row: 1, lines: ["cache and limits that several", "machines share"] },
  "@snap/testing": { column: 2.5, row: 2, lines: ["fakes, and the suites that", "every storage must pass"] },
  "@snap/engine": {
    column: 1.5,
    row: 2,
    lines: ["the domain: capture(), credits,", "limits, cache, batches"],
  },
  "@snap/client": { column: 0, row: 3, lines: ["the SDK, in any runtime"] },
  "@snap/protocol": {
    column: 1.5,
    row: 3,
    lines: ["the contract: codes, headers,", "limits, parameters, signatures"],
  },
};

const WIDTH = 214;
const HEIGHT = 66;
const COLUMN = 270;
const ROW = 108;
const EDGE = 26;
/** How far a line that goes around a box stays away from it. */
const DETOUR = 20;

/** The published packages, and who imports whom, from their package.json files. */
export function drawPackages(): string {
  const packages = readPackages().filter(({ manifest }) => manifest.private !== true);
  return drawing(
    "The packages of snap: an arrow points from a package to one that it imports",
    { width: 2 * EDGE + 2.5 * COLUMN + WIDTH, height: 2 * EDGE + 3 * ROW + HEIGHT + 22 },
    [
      ...packages.flatMap((part) =>
        importsOf(part, packages).map((name) => arrow(lineBetween(placeOf(part.name), placeOf(name)))),
      ),
      ...packages.map(({ name }) =>
        labelledBox(boxOf(placeOf(name)), { title: name, lines: placeOf(name).lines, fill: fillOf(name) }),
      ),
      note(
        { x: EDGE, y: 2 * EDGE + 3 * ROW + HEIGHT + 8 },
        "An arrow points to what is imported. Green runs anywhere, browsers included; blue runs on Node.",
      ),
    ],
  );
}

/** The packages of ours that a package imports, at run time or for its types. */
export function importsOf(part: WorkspacePackage, packages: readonly WorkspacePackage[]): string[] {
  const { dependencies, peerDependencies } = part.manifest;
  return packages.map(({ name }) => name).filter((name) => name in { ...dependencies, ...peerDependencies });
}

function placeOf(name: string): Place {
  const place = PLACES[name];
  if (place === undefined)
    throw new Error(`give ${name} a place in packages/workshop/src/docs/drawings/packages.ts`);
  return place;
}

function boxOf({ column, row }: Place): Box {
  return { x: EDGE + column * COLUMN, y: EDGE + row * ROW, width: WIDTH, height: HEIGHT };
}

function lineBetween(from: Place, to: Place): { x: number; y: number }[] {
  const [start, end] = [boxOf(from), boxOf(to)];
  const middle = (box: Box): number => box.x + box.width / 2;
  if (from.row === to.row) {
    const y = start.y + HEIGHT / 2;
    return from.column < to.column
      ? [
          { x: start.x + WIDTH, y },
          { x: end.x, y },
        ]
      : [
          { x: start.x, y },
          { x: end.x + WIDTH, y },
        ];
  }
  if (from.column === to.column && to.row - from.row > 2) {
    const x = start.x + WIDTH + DETOUR;
    return [
      { x: start.x + WIDTH, y: start.y + HEIGHT / 2 },
      { x, y: start.y + HEIGHT / 2 },
      { x, y: end.y + HEIGHT / 2 },
      { x: end.x + WIDTH, y: end.y + HEIGHT / 2 },
    ];
  }
  const shift = (to.column - from.column) * (WIDTH / 4);
  return [
    { x: middle(start) + shift, y: start.y + HEIGHT },
    { x: middle(end) - shift, y: end.y },
  ];
}

function fillOf(name: string): string {
  return name === "@snap/protocol" || name === "@snap/client" ? FILLS.green : FILLS.blue;
}
