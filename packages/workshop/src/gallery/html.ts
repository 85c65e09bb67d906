import { GRAY, GREEN, NAVY } from "./palette.ts";
import type { Expectation } from "./entry.ts";

interface Parts {
  readonly style?: string;
  readonly body: string;
  readonly script?: string;
  readonly head?: string;
}

const BASE = `
  body { margin: 0; font: 16px/1.5 sans-serif; color: #263238; background: white; }
  h1 { margin: 0; padding: 0 20px; height: 48px; font-size: 20px; line-height: 48px; color: white; background: ${NAVY}; }
  section { height: 360px; padding: 0 20px; overflow: hidden; }
  h2 { margin: 0; height: 40px; font-size: 16px; line-height: 40px; }
  .area { display: block; width: 100%; height: 300px; border: 0; background: ${GRAY}; }
`;

/** Returns a page in the style of the gallery. */
export function html({ head = "", style = "", body, script = "" }: Parts): string {
  return `<!doctype html><meta charset="utf-8"><title>Gallery</title>${head}<style>${BASE}${style}</style>${body}${script && `<script>${script}</script>`}`;
}

const SECTION_HEIGHT = 360;

/** Returns sections, each with a heading and the content that `area` returns. */
export function sections(count: number, area: (number: number) => string): string {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  return numbers.map((number) => `<section><h2>Section ${number}</h2>${area(number)}</section>`).join("");
}

/** Expects a page with sections from `top` pixels on, each with a color in its middle. */
export function everySection(count: number, color: string = GREEN, top = 0): Partial<Expectation> {
  const middle = (index: number): number => top + index * SECTION_HEIGHT + 190;
  return {
    size: [400, top + count * SECTION_HEIGHT],
    colors: Array.from({ length: count }, (_, index) => [200, middle(index), color] as const),
  };
}

/** Expects a page of sections with a color in the middle of the last one. */
export function lastSection(count: number, color: string, top = 0): Partial<Expectation> {
  const { colors = [], ...rest } = everySection(count, color, top);
  return { ...rest, colors: colors.slice(-1) };
}
