import type { PdfParameters } from "@snap/protocol";
import { readStructure } from "./pdf-structure.ts";

/** The entries of the information dictionary (ISO 32000-1, 14.3.3) that parameters set. */
const ENTRIES = {
  pdfTitle: "/Title",
  pdfAuthor: "/Author",
  pdfSubject: "/Subject",
  pdfKeywords: "/Keywords",
} as const satisfies Partial<Record<keyof PdfParameters, string>>;

/**
 * Returns what to append to a PDF to set the document information in the parameters: an incremental update (ISO
 * 32000-1, 7.5.6), which replaces the information dictionary and leaves everything else unchanged. `null` if the
 * parameters set none.
 *
 * @throws MalformedPdf if the file does not have the expected structure.
 */
export function informationUpdate(bytes: Uint8Array, parameters: PdfParameters): Buffer | null {
  const sent = Object.entries(ENTRIES).flatMap(([name, entry]) => {
    const text = parameters[name as keyof typeof ENTRIES];
    return text === undefined ? [] : [[entry, encodeText(text)] as const];
  });
  if (sent.length === 0) return null;
  const { tableOffset, trailer, follow } = readStructure(bytes);
  const { number, dictionary } = follow(trailer, "/Info");
  const information = new Map([...dictionary, ...sent]);
  const object = `\n${number} 0 obj\n${formatDictionary(information)}\nendobj\n`;
  const newTrailer = new Map([...trailer, ["/Prev", String(tableOffset)]]);
  const table = `xref\n${number} 1\n${String(bytes.length + 1).padStart(10, "0")} 00000 n \n`;
  const end = `trailer\n${formatDictionary(newTrailer)}\nstartxref\n${bytes.length + object.length}\n%%EOF\n`;
  return Buffer.from(object + table + end, "latin1");
}

/** As hexadecimal UTF-16BE with a byte order mark, so no character has a syntactic meaning. */
function encodeText(text: string): string {
  return `<${Buffer.from(`\u{feff}${text}`, "utf16le").swap16().toString("hex").toUpperCase()}>`;
}

function formatDictionary(entries: ReadonlyMap<string, string>): string {
  return `<<${Array.from(entries, ([name, value]) => `${name} ${value}`).join("\n")}>>`;
}
