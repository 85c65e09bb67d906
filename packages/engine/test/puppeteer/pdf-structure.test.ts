import { PDFDocument } from "pdf-lib";
import { describe, expect, it } from "vitest";
import { MalformedPdf, parseDictionary } from "../../src/puppeteer/page/pdf/dictionary.ts";
import { informationUpdate } from "../../src/puppeteer/page/pdf/document-information.ts";
import { countPages } from "../../src/puppeteer/page/pdf/pdf-structure.ts";
import { readPdf } from "./read-pdf.ts";
import { pdf } from "./setup.ts";

const OBJECTS = [
  "<</Title (a \\) (b)) /Producer (Skia)>>",
  "<</Type /Catalog /Lang (\\) /Pages 9 0 R) /Pages 3 0 R>>",
  "<</Type /Pages /Count 1 /Kids [4 0 R]>>",
  "<</Type /Page /Parent 3 0 R /MediaBox [0 0 100 200] /Resources <<>>>>",
];

/** Writes a PDF as Chromium does: one cross-reference table, and the information in the first object. */
function write(objects: readonly string[] = OBJECTS, end = ""): Buffer {
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join("")}`;
  const trailer = `trailer\n<</Size ${objects.length + 1}\n/Root 2 0 R\n/Info 1 0 R>>\nstartxref\n${text.length}\n%%EOF`;
  return Buffer.from(`${text}${table}${trailer}${end}`, "latin1");
}

const request = (values: object) => pdf("https://example.com/", values);

function update(file: Buffer, values: object): Buffer {
  return Buffer.concat([file, informationUpdate(file, request(values)) ?? Buffer.alloc(0)]);
}

describe("the document information", () => {
  it("is appended, and the rest of the file does not change", async () => {
    const file = write();
    const updated = update(file, { pdfAuthor: "Zoë (\\", pdfKeywords: "\u0000\r\n😀" });
    expect(updated.subarray(0, file.length).equals(file)).toBe(true);
    const { information, pages } = await readPdf(updated);
    expect(information).toMatchObject({
      Title: "a ) (b)",
      Producer: "Skia",
      Author: "Zoë (\\",
      Keywords: "\u0000\r\n😀",
    });
    expect(pages).toMatchObject([{ width: 100, height: 200 }]);
    const other = await PDFDocument.load(updated, { updateMetadata: false });
    expect(other.getAuthor()).toBe("Zoë (\\");
  });

  it("is written as an incremental update in PDF syntax", () => {
    const text = update(write(), { pdfTitle: "Aé" }).subarray(write().length).toString("latin1");
    expect(text).toBe(
      "\n1 0 obj\n<</Title <FEFF004100E9>\n/Producer (Skia)>>\nendobj\n" +
        "xref\n1 1\n0000000447 00000 n \n" +
        "trailer\n<</Size 5\n/Root 2 0 R\n/Info 1 0 R\n/Prev 274>>\nstartxref\n505\n%%EOF\n",
    );
  });

  it("is not written if no parameter sets any", () => {
    expect(informationUpdate(Buffer.from("not a PDF"), request({ outline: true }))).toBeNull();
  });

  it.each<[string, Buffer]>([
    ["an empty file", Buffer.alloc(0)],
    ["text", Buffer.from("startxref\n0\n%%EOF")],
    ["a table at another offset", Buffer.concat([Buffer.from("%"), write()])],
    [
      "a cross-reference stream",
      Buffer.from(`%PDF-1.5\n1 0 obj\n<</Type /XRef>>\nendobj\nstartxref\n9\n%%EOF`),
    ],
    ["text after the end", write(OBJECTS, "x".repeat(100))],
    ["an information dictionary that does not end", write(["<</Title (a", ...OBJECTS.slice(1)])],
    ["no dictionary", write(["(a)", ...OBJECTS.slice(1)])],
    ["an offset beyond the file", Buffer.from("startxref\n99999999999\n%%EOF")],
  ])("is not written if the file is malformed: %s", (_name, file) => {
    expect(() => informationUpdate(file, request({ pdfTitle: "a" }))).toThrow(MalformedPdf);
  });
});

describe("the number of pages", () => {
  it("comes from the root of the page tree, whatever strings contain", () => {
    expect(countPages(write())).toBe(1);
    expect(countPages(write(OBJECTS.with(2, "<</Kids [] /Count 17>>")))).toBe(17);
    expect(() => countPages(write(OBJECTS.with(1, "<</Pages 77 0 R>>")))).toThrow(MalformedPdf);
    expect(() => countPages(write(OBJECTS.with(2, "<</Count (1)>>")))).toThrow(MalformedPdf);
  });
});

describe("a dictionary", () => {
  it("is read value by value", () => {
    const text = `<< /A 1 0 R/B -1.5 /C [1 0 R (x]) <<>>] /D <</E (>>)>> /F /G/H <0aF>/I true/J (a(b)\\)c) >> rest`;
    expect([...parseDictionary(text)]).toEqual([
      ["/A", "1 0 R"],
      ["/B", "-1.5"],
      ["/C", "[1 0 R (x]) <<>>]"],
      ["/D", "<</E (>>)>>"],
      ["/F", "/G"],
      ["/H", "<0aF>"],
      ["/I", "true"],
      ["/J", "(a(b)\\)c)"],
    ]);
  });

  it.each(["", "<<", "<</A", "<</A>>", "<</A (b>>", "<<(a) 1>>", "<</A <xyz>>>"])(
    "is malformed: %j",
    (text) => {
      expect(() => parseDictionary(text)).toThrow(MalformedPdf);
    },
  );

  it("is malformed if it is nested too deeply", () => {
    expect(() => parseDictionary(`<</A ${"[".repeat(99_995)}`)).toThrow(MalformedPdf);
  });
});
