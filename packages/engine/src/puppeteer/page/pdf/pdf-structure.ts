import { MalformedPdf, parseDictionary } from "./dictionary.ts";

/*
 * Finds objects in the browser's PDF through its cross-reference table (ISO 32000-1, 7.5). Reads only the table and the
 * requested dictionaries, up to these limits, because their text may come from the page.
 */

const TAIL_BYTES = 64;
const DICTIONARY_MAX_BYTES = 1024 * 1024;
/** Length of each table entry. */
const ENTRY_BYTES = 20;

type Dictionary = ReadonlyMap<string, string>;

/** A PDF with one cross-reference table, as Chromium writes it. */
export interface PdfStructure {
  /** Offset of the cross-reference table. */
  readonly tableOffset: number;
  readonly trailer: Dictionary;
  /** Returns the dictionary that an entry in another dictionary refers to. */
  readonly follow: (
    dictionary: Dictionary,
    name: string,
  ) => { readonly number: number; readonly dictionary: Dictionary };
}

/** @throws MalformedPdf if the file does not have the expected structure. */
export function readStructure(bytes: Uint8Array): PdfStructure {
  const tail = textAt(bytes, Math.max(0, bytes.length - TAIL_BYTES), TAIL_BYTES);
  const tableOffset = Number(requireGroup(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail)));
  const [header = ""] = /^xref\s+0 \d+\s*\n/.exec(textAt(bytes, tableOffset, TAIL_BYTES)) ?? [];
  const count = Number(requireGroup(/ (\d+)/.exec(header)));
  const entriesOffset = tableOffset + header.length;
  const trailerText = textAt(bytes, entriesOffset + count * ENTRY_BYTES, DICTIONARY_MAX_BYTES);
  if (!trailerText.startsWith("trailer")) throw new MalformedPdf("no trailer");

  const readObject = (number: number): Dictionary => {
    if (number >= count) throw new MalformedPdf("no such object");
    const entry = textAt(bytes, entriesOffset + number * ENTRY_BYTES, ENTRY_BYTES);
    const offset = Number(requireGroup(/^(\d{10}) 00000 n/.exec(entry)));
    const text = textAt(bytes, offset, DICTIONARY_MAX_BYTES);
    const [start] = /^(\d+) 0 obj\s*/.exec(text) ?? [];
    if (start === undefined || Number.parseInt(start, 10) !== number) throw new MalformedPdf("no object");
    return parseDictionary(text.slice(start.length));
  };
  return {
    tableOffset,
    trailer: parseDictionary(trailerText.slice("trailer".length)),
    follow: (dictionary, name) => {
      const number = Number(requireGroup(/^(\d+) 0 R$/.exec(dictionary.get(name) ?? "")));
      return { number, dictionary: readObject(number) };
    },
  };
}

/** @throws MalformedPdf as `readStructure` does. */
export function countPages(bytes: Uint8Array): number {
  const structure = readStructure(bytes);
  const catalog = structure.follow(structure.trailer, "/Root").dictionary;
  const pages = structure.follow(catalog, "/Pages").dictionary;
  return Number(requireGroup(/^(\d+)$/.exec(pages.get("/Count") ?? "")));
}

function textAt(bytes: Uint8Array, offset: number, length: number): string {
  const part = bytes.subarray(offset, offset + length);
  return Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString("latin1");
}

/** Returns the match's group. */
function requireGroup(match: RegExpExecArray | null): string {
  const group = match?.[1];
  if (group === undefined) throw new MalformedPdf("unexpected syntax");
  return group;
}
