/* Tiny valid files: images, and a PDF with an empty page. */

const FILES: Readonly<Record<string, string>> = {
  "image/png": "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQAQAAAAA3iMLMAAAADElEQVR4nGNgIA0AAAAwAAEWiZrRAAAAAElFTkSuQmCC",
  "image/jpeg":
    "/9j/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAAL" +
    "CAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z",
  "image/webp": "UklGRjoAAABXRUJQVlA4TC0AAAAvD8ADAJj//ve//wUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  "image/avif":
    "AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAA" +
    "ACJpbG9jAAAAAERAAAEAAQAAAAAA+gABAAAAAAAAACEAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRt" +
    "AAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgQAMAAAAABRpc3BlAAAAAAAAABAAAAAQAAAAEHBpeGkAAAAAAwgICAAAABZp" +
    "cG1hAAAAAAAAAAEAAQOBAgMAAAApbWRhdBIACgkYDP/bICGg0IAyEh/3h4UVwAAsAAAAdX1ZvclsgA==",
};

const SIDE_PIXELS: Readonly<Record<string, number>> = {
  "image/png": 16,
  "image/jpeg": 8,
  "image/webp": 16,
  "image/avif": 16,
};

const PDF_OBJECTS = [
  "<< /Type /Catalog /Pages 2 0 R >>",
  "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
  "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>",
];

/** Returns a file of the content type, always the same. */
export function fileOf(contentType: string): Uint8Array<ArrayBuffer> {
  const text = contentType === "application/pdf" ? pdfText() : atob(FILES[contentType] ?? "");
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Returns the size of an image in pixels; every image is square. */
export function sizeOf(contentType: string): { readonly width: number; readonly height: number } {
  const side = SIDE_PIXELS[contentType] ?? 0;
  return { width: side, height: side };
}

function pdfText(): string {
  const size = PDF_OBJECTS.length + 1;
  let text = "%PDF-1.4\n";
  let table = `xref\n0 ${size}\n0000000000 65535 f \n`;
  for (const [index, object] of PDF_OBJECTS.entries()) {
    table += `${String(text.length).padStart(10, "0")} 00000 n \n`;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  return `${text}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
}
