import { describe, expect, it } from "vitest";
import { explainNote } from "../src/index.ts";

describe("explainNote", () => {
  it.each([
    ["blank", "The image is entirely white or transparent."],
    ["blocked=3", "Number of requests that were blocked."],
  ])("explains %s", (note, sentence) => {
    expect(explainNote(note)).toBe(sentence);
  });

  it.each(["newer", "newer=3", "blocked", "constructor", "toString=3", "__proto__"])(
    "returns undefined for the unknown note %s",
    (note) => {
      expect(explainNote(note)).toBeUndefined();
    },
  );
});
