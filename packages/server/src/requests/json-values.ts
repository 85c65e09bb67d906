const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/**
 * Returns whether JSON text has more than `max` values, by its commas and opening brackets, without parsing it: the
 * parser and every copy of what it returns block the event loop in proportion to their number.
 */
export function hasMoreValues(json: Buffer, max: number): boolean {
  let values = 1;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (byte === QUOTE) index = endOfString(json, index);
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1;
    if (values > max) return true;
  }
  return false;
}

/** Returns the index of the closing quote, or the length if there is none. */
function endOfString(json: Buffer, start: number): number {
  let end = start;
  do {
    end = json.indexOf(QUOTE, end + 1);
    if (end === -1) return json.length;
  } while (isEscaped(json, end));
  return end;
}

/** An odd number of backslashes escapes the character that follows. */
function isEscaped(json: Buffer, index: number): boolean {
  let first = index;
  while (json[first - 1] === BACKSLASH) first -= 1;
  return (index - first) % 2 === 1;
}
