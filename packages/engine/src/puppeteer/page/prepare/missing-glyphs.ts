/** Characters that a font might lack: letters, digits and symbols beyond the Latin alphabet, and icons. */
const RARE_CHARACTERS = String.raw`/[^\u0000-\u024f\s\p{M}\p{P}\p{C}]|\p{Co}/gu`;
/** Maximum number of characters, in all fonts together; each is drawn once per font. */
const CHARACTERS_MAX = 300;
/** A code point for private use that fonts leave empty, so every font draws its missing-glyph symbol. */
const UNASSIGNED_CHARACTER = String.raw`"\u{10fffd}"`;

/**
 * An expression to evaluate in the page: whether it has a character that no font can display. A missing glyph looks the
 * same for every character.
 */
export const HAS_MISSING_GLYPHS = `(() => {
  const context = new OffscreenCanvas(40, 40).getContext("2d", { willReadFrequently: true });
  const draw = (font, character) => {
    context.clearRect(0, 0, 40, 40);
    context.font = font;
    context.fillText(character, 4, 24);
    return context.getImageData(0, 0, 40, 40).data.join();
  };
  const drawn = new Set();
  const texts = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() && drawn.size < ${CHARACTERS_MAX}) {
    const { data, parentElement } = texts.currentNode;
    const rare = data.match(${RARE_CHARACTERS});
    if (rare === null || !parentElement.checkVisibility()) continue;
    const { fontFamily, fontStyle, fontWeight } = getComputedStyle(parentElement);
    const font = [fontStyle, fontWeight, "16px", fontFamily].join(" ");
    for (const character of new Set(rare)) {
      if (drawn.has(font + character) || drawn.size >= ${CHARACTERS_MAX}) continue;
      drawn.add(font + character);
      if (draw(font, character) === draw(font, ${UNASSIGNED_CHARACTER})) return true;
    }
  }
  return false;
})()`;
