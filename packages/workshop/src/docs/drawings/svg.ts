/** Paper and ink of their own, so that a drawing reads the same on a light page and on a dark one. */
const PAPER = "#fbfcfd";
const INK = "#1f2933";
const FAINT = "#52606d";
const LINE = "#7b8794";
const FONT = "ui-sans-serif, Helvetica, Arial, sans-serif";

export const FILLS = { green: "#dff3e8", blue: "#dcebfa", yellow: "#fff1d0", grey: "#e9edf1" } as const;

export interface Box {
  /** Of its left upper corner. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The drawing around its shapes; `title` is what a screen reader says of it. */
export function drawing(
  title: string,
  size: { width: number; height: number },
  shapes: readonly string[],
): string {
  const { width, height } = size;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="${FONT}" fill="${INK}">`,
    `<title>${escapeText(title)}</title>`,
    `<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="${LINE}"/></marker></defs>`,
    `<rect width="${width}" height="${height}" rx="12" fill="${PAPER}"/>`,
    ...shapes,
    "</svg>\n",
  ].join("\n");
}

/** A box with a title and smaller lines below it, all in its middle. */
export function labelledBox(
  box: Box,
  {
    title,
    lines,
    fill,
  }: { readonly title: string; readonly lines: readonly string[]; readonly fill: string },
): string {
  const middle = box.x + box.width / 2;
  const top = box.y + (box.height - 15 * lines.length) / 2 + 5;
  return [
    frame(box, fill),
    text({ x: middle, y: top }, title, { weight: "bold", anchor: "middle", size: 14 }),
    ...lines.map((line, index) =>
      text({ x: middle, y: top + 16 + 14 * index }, line, { fill: FAINT, anchor: "middle", size: 11 }),
    ),
  ].join("\n");
}

export function frame({ x, y, width, height }: Box, fill: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="${fill}" stroke="${LINE}"/>`;
}

interface TextStyle {
  readonly size: number;
  readonly anchor?: "start" | "middle" | "end";
  readonly weight?: "bold";
  readonly fill?: string;
}

export function text({ x, y }: Point, content: string, { size, anchor, weight, fill }: TextStyle): string {
  const style = [
    anchor && ` text-anchor="${anchor}"`,
    weight && ` font-weight="${weight}"`,
    fill && ` fill="${fill}"`,
  ].filter((each) => each !== undefined);
  return `<text x="${x}" y="${y}" font-size="${size}"${style.join("")}>${escapeText(content)}</text>`;
}

/** A smaller text that explains a line. */
export function note(at: Point, content: string, anchor: "start" | "middle" | "end" = "start"): string {
  return text(at, content, { size: 11, anchor, fill: FAINT });
}

/** A line through points, with a tip at its end. */
export function arrow(points: readonly Point[], style: "solid" | "dashed" = "solid"): string {
  const path = points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("");
  const dashes = style === "dashed" ? ' stroke-dasharray="5 4"' : "";
  return `<path d="${path}" fill="none" stroke="${LINE}" stroke-width="1.4" stroke-linejoin="round"${dashes} marker-end="url(#tip)"/>`;
}

function escapeText(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
