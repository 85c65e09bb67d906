/*
 * The drawings of the demo page, as inline SVG. What they show is true: pixels of a viewport of
 * 1280 x 800 by scale, and the sheets of ISO 216 to one measure.
 */

const ACCENT = "#e8471c";
const INK = "#17160f";
const LINE = "#ddd5c4";
const SOFT = "#6d6757";

/** A0 is 291 wide. */
const UNITS_PER_MM = 0.345;

/** A viewfinder: four corners and a lens. */
export const mark = `<svg viewBox="0 0 32 32" aria-hidden="true" fill="none" stroke-width="3.4" stroke-linecap="round">
<path d="M3 11V5a2 2 0 0 1 2-2h6M21 3h6a2 2 0 0 1 2 2v6M29 21v6a2 2 0 0 1-2 2h-6M11 29H5a2 2 0 0 1-2-2v-6" stroke="${INK}"/>
<circle cx="16" cy="16" r="5.6" fill="${ACCENT}"/></svg>`;

/** A page under a viewfinder, and the files that come out of it. */
export const heroFigure = `<svg id="hero-figure" viewBox="0 0 544 470" role="img" aria-label="A page in a viewfinder, and the files that come of it">
<rect x="26" y="30" width="398" height="330" rx="16" fill="#fffdf8" stroke="${LINE}" stroke-width="1.5"/>
<path d="M26 72h398" stroke="${LINE}" stroke-width="1.5"/>
<circle cx="49" cy="51" r="5.5" fill="${ACCENT}"/><circle cx="68" cy="51" r="5.5" fill="#f2b33d"/><circle cx="87" cy="51" r="5.5" fill="#2f9e6e"/>
<rect x="112" y="42" width="288" height="18" rx="9" fill="#f1ebdd"/>
<text x="124" y="55.5" font-size="11.5" fill="${SOFT}">https://example.com/</text>
<rect x="52" y="98" width="190" height="24" rx="5" fill="${INK}"/>
<rect x="52" y="131" width="132" height="24" rx="5" fill="${INK}"/>
<rect x="52" y="173" width="196" height="8" rx="4" fill="${LINE}"/><rect x="52" y="190" width="176" height="8" rx="4" fill="${LINE}"/><rect x="52" y="207" width="188" height="8" rx="4" fill="${LINE}"/>
<rect x="52" y="232" width="92" height="28" rx="14" fill="${ACCENT}"/>
<rect x="272" y="98" width="126" height="162" rx="10" fill="#cfdcfb"/>
<circle cx="364" cy="134" r="16" fill="#f2b33d"/>
<path d="M272 228l38-52 30 36 20-22 38 44v16a10 10 0 0 1-10 10H282a10 10 0 0 1-10-10z" fill="#1f4fd8"/>
<g fill="#f1ebdd"><rect x="52" y="284" width="106" height="54" rx="8"/><rect x="172" y="284" width="106" height="54" rx="8"/><rect x="292" y="284" width="106" height="54" rx="8"/></g>
<path d="M4 44V18A14 14 0 0 1 18 4h26M406 4h26a14 14 0 0 1 14 14v26M446 346v26a14 14 0 0 1-14 14h-26M44 386H18a14 14 0 0 1-14-14v-26" fill="none" stroke="${ACCENT}" stroke-width="5" stroke-linecap="round"/>
<g font-size="17" font-weight="700" fill="#fff">
<g transform="translate(262 408) rotate(-5)"><rect width="92" height="54" rx="9" fill="${INK}"/><text x="46" y="33" text-anchor="middle">PNG</text></g>
<g transform="translate(350 400) rotate(3)"><rect width="96" height="54" rx="9" fill="#1f4fd8"/><text x="48" y="33" text-anchor="middle">WebP</text></g>
<g transform="translate(460 322) rotate(7)"><rect width="78" height="98" rx="9" fill="${ACCENT}"/><path d="M54 0l24 24H62a8 8 0 0 1-8-8z" fill="#ffb79f"/><text x="39" y="66" text-anchor="middle">PDF</text></g>
</g></svg>`;

/** One drawing of 44 x 44 for each card. */
function icon(shapes: string): string {
  return `<svg viewBox="0 0 44 44" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round">${shapes}</svg>`;
}

export const icons = {
  viewport: icon(
    `<rect x="3" y="7" width="38" height="26" rx="4"/><path d="M15 40h14M22 33v7"/><circle cx="22" cy="20" r="5.5" fill="${ACCENT}" stroke="none"/>`,
  ),
  fullPage: icon(
    `<path d="M12 3h20v38H12z"/><path d="M18 11h8M18 18h8M18 25h8"/><path d="M22 30v7M18.500 34l3.500 3.500 3.500-3.500" stroke="${ACCENT}"/>`,
  ),
  selector: icon(
    `<path d="M14 5H8a3 3 0 0 0-3 3v6M30 5h6a3 3 0 0 1 3 3v6M39 30v6a3 3 0 0 1-3 3h-6M14 39H8a3 3 0 0 1-3-3v-6"/><path d="M17 15l-4 7 4 7M27 15l4 7-4 7" stroke="${ACCENT}"/>`,
  ),
  alpha: icon(
    `<rect x="4" y="4" width="36" height="36" rx="5"/><g fill="currentColor" stroke="none"><path d="M8 8h7v7H8zM22 8h7v7h-7zM15 15h7v7h-7zM29 15h7v7h-7zM8 22h7v7H8zM22 22h7v7h-7zM15 29h7v7h-7zM29 29h7v7h-7z" opacity=".22"/></g><circle cx="22" cy="22" r="9" fill="${ACCENT}" stroke="none"/>`,
  ),
  pdf: icon(
    `<path d="M9 3h17l10 10v28H9z"/><path d="M26 3v10h10"/><path d="M16 23h13M16 30h13" stroke="#ffd0bf"/>`,
  ),
  cache: icon(
    `<path d="M38 22a16 16 0 1 1-5-11.600"/><path d="M38 4v8h-8"/><path d="M22 13v9l6 4" stroke="${ACCENT}"/>`,
  ),
} as const;

/** Millions of pixels of 1280 x 800 at scale 1, 2 and 3. */
export const pixelChart = pixelBars([
  { scale: 1, megapixels: 1.024, fill: "#f6b49e" },
  { scale: 2, megapixels: 4.096, fill: "#f07c58" },
  { scale: 3, megapixels: 9.216, fill: ACCENT },
]);

interface PixelBar {
  readonly scale: number;
  readonly megapixels: number;
  readonly fill: string;
}

function pixelBars(bars: readonly PixelBar[]): string {
  const grid = [0, 2, 4, 6, 8].map((value) => {
    const x = 92 + value * 42;
    return `<path d="M${x} 6v320" stroke="${LINE}"/><text x="${x}" y="350" font-size="13" fill="${SOFT}" text-anchor="middle">${value}</text>`;
  });
  const rows = bars.map(({ scale, megapixels, fill }, row) => {
    const y = 20 + row * 104;
    const width = megapixels * 42;
    const inside = width > 200;
    return `<text x="0" y="${y + 48}" font-size="15" font-weight="700" fill="${INK}">scale=${scale}</text>
<rect x="92" y="${y}" width="${width.toFixed(1)}" height="84" rx="8" fill="${fill}"/>
<text x="${(92 + width + (inside ? -14 : 12)).toFixed(1)}" y="${y + 48}" font-size="16" font-weight="700" text-anchor="${inside ? "end" : "start"}" fill="${inside ? "#fff" : INK}">${1280 * scale} × ${800 * scale}</text>`;
  });
  return `<svg viewBox="0 0 520 360" role="img" aria-label="Pixels of a picture by scale">${grid.join("")}${rows.join("")}<text x="520" y="350" font-size="13" fill="${SOFT}" text-anchor="end">million pixels</text></svg>`;
}

/** The sheets A0 to A6 in one corner, to one measure. */
export const paperChart = paperSheets([
  ["A0", 841, 1189],
  ["A1", 594, 841],
  ["A2", 420, 594],
  ["A3", 297, 420],
  ["A4", 210, 297],
  ["A5", 148, 210],
  ["A6", 105, 148],
]);

function paperSheets(sheets: readonly (readonly [string, number, number])[]): string {
  const fills = ["#f6ecdf", "#fadfd2", "#fad2c3", "#f8b9a3", ACCENT, "#f07c58", "#f6a78d"];
  const drawn = sheets.map(([name, widthMm, heightMm], index) => {
    const [width, height] = [widthMm * UNITS_PER_MM, heightMm * UNITS_PER_MM];
    const label = `<text x="${(width - 8).toFixed(1)}" y="${(height - 8).toFixed(1)}" font-size="14" font-weight="700" text-anchor="end" fill="${index === 4 ? "#fff" : INK}">${name}</text>`;
    return `<rect width="${width.toFixed(1)}" height="${height.toFixed(1)}" fill="${fills[index] ?? ACCENT}" stroke="#fffdf8" stroke-width="2"/>${label}`;
  });
  return `<svg viewBox="0 0 292 412" role="img" aria-label="Paper formats A0 to A6" style="max-width:292px;margin:0 auto">${drawn.join("")}</svg>`;
}

/** Twelve colours, to see what a format and a quality do to them. */
export const colourStrip = [
  "#17160f",
  "#4a463a",
  "#8a8370",
  "#c9c1ae",
  "#e8471c",
  "#f07c58",
  "#f2b33d",
  "#ffe08a",
  "#157a55",
  "#2f9e6e",
  "#1f4fd8",
  "#8aa8f8",
]
  .map((colour) => `<span style="background:${colour}"></span>`)
  .join("");
