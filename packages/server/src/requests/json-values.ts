const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/**
 * Returns whether JSON text may have more than `max` values. Counts commas and opening brackets and braces, so an empty
 * array or object counts as two values. Does not parse the text: parsing many values would block the event loop.
 */
export function hasMoreValuesThan(json: Buffer, max: number): boolean {
  let values = 1;
  for (let index = 0; index < json.length && values <= max; index += 1) {
    const byte = json[index];
    if (byte === QUOTE) index = endOfString(json, index);
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1;
  }
  return values > max;
}

/** Returns the index of the closing quote. For text with many escaped quotes, `indexOf` would be ten times slower. */
function endOfString(json: Buffer, start: number): number {
  let end = start + 1;
  while (end < json.length && json[end] !== QUOTE) end += json[end] === BACKSLASH ? 2 : 1;
  return end;
}
