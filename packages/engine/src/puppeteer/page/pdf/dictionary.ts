/*
 * Reads a PDF's dictionaries (ISO 32000-1, 7.3) without interpreting their values.
 */

const SPACE = /[\s\0]*/y;
const NAME = /\/[^\s\0()<>[\]{}/%]*/y;
const HEX_STRING = /<[\dA-Fa-f\s]*>/y;
/** A reference, a number, or a keyword such as `true`. */
const SCALAR = /\d+ \d+ R\b|[^\s\0()<>[\]{}/%]+/y;

const DEPTH_MAX = 16;

/** The file does not have the expected structure, or a dictionary is nested too deeply. */
export class MalformedPdf extends Error {}

/** Returns the raw values of the dictionary at the start of the text, by name including the slash. */
export function parseDictionary(text: string): ReadonlyMap<string, string> {
  const reader = new ValueReader(text);
  const entries = new Map<string, string>();
  reader.readDictionary((name, value) => entries.set(name, value));
  return entries;
}

class ValueReader {
  readonly #text: string;
  #position = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readDictionary(onEntry: (name: string, value: string) => void): void {
    this.#take("<<");
    while (!this.#takeIf(">>")) {
      const name = this.#match(NAME);
      this.#match(SPACE);
      const start = this.#position;
      this.#readValue();
      onEntry(name, this.#text.slice(start, this.#position));
    }
  }

  #readValue(): void {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) throw new MalformedPdf("too deep");
    this.#match(SPACE);
    if (this.#text.startsWith("<<", this.#position)) this.readDictionary(() => {});
    else {
      const first = this.#text[this.#position];
      if (first === "[") this.#readArray();
      else if (first === "(") this.#readLiteralString();
      else if (first === "<") this.#match(HEX_STRING);
      else this.#match(first === "/" ? NAME : SCALAR);
    }
    this.#depth -= 1;
  }

  #readArray(): void {
    this.#take("[");
    while (!this.#takeIf("]")) this.#readValue();
  }

  /** Parentheses nest unless they are escaped. */
  #readLiteralString(): void {
    let nesting = 0;
    for (; this.#position < this.#text.length; this.#position += 1) {
      const character = this.#text[this.#position];
      if (character === "\\") this.#position += 1;
      else if (character === "(") nesting += 1;
      else if (character === ")") nesting -= 1;
      if (nesting === 0) {
        this.#position += 1;
        return;
      }
    }
    throw new MalformedPdf("unterminated string");
  }

  #takeIf(token: string): boolean {
    this.#match(SPACE);
    if (!this.#text.startsWith(token, this.#position)) return false;
    this.#position += token.length;
    return true;
  }

  #take(token: string): void {
    if (!this.#takeIf(token)) throw new MalformedPdf(`${token} expected`);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#position;
    const [matched] = pattern.exec(this.#text) ?? [];
    if (matched === undefined) throw new MalformedPdf("unexpected text");
    this.#position += matched.length;
    return matched;
  }
}
