import { describe, expect, it } from "vitest";
import { canonicalText, PARAMETERS } from "../../src/index.ts";

function canonical(text: string): string | null {
  const row = PARAMETERS.screenshot.maskColor;
  if (row.kind !== "text") throw new Error("maskColor is not a text parameter");
  return canonicalText(row, text);
}

describe("maskColor", () => {
  it.each([
    ["#FF00FF", "#ff00ff"],
    ["RebeccaPurple", "rebeccapurple"],
    ["RGB(255 0 255 / 50%)", "rgb(255 0 255 / 50%)"],
    ["OKLCH(70% 0.2 330DEG)", "oklch(70% 0.2 330deg)"],
  ])("is normalized: %s becomes %s", (text, color) => {
    expect(canonical(text)).toBe(color);
  });

  // the engine's capture-area.test.ts checks that the browser supports the valid colors
  it.each([
    "",
    "notacolor",
    "#ff",
    "rgb(1, 2%, 3)",
    "rgb(1., 2, 3)",
    "rgb(1 2)",
    "hsl(50%, 50%, 50%)",
    "lab(50%, 0, 0)",
    "color(red 1 0 0)",
    "color(display-p3 1 0)",
    "rgb(from red r g b)",
    "rgb(calc(1) 2 3)",
    "color-mix(in srgb, red, blue)",
    "var(--color)",
    "url(https://example.com/)",
    "currentcolor",
    "red;top:0",
    "red url(a)",
    "rgb(1 2 3)\n",
  ])("cannot be %j", (text) => {
    expect(canonical(text)).toBeNull();
  });
});
