// silences pdf.js's warning that it cannot draw, because nothing here draws
const { warn } = console;
console.warn = () => {};
const { getDocument } = await import("pdfjs-dist/legacy/build/pdf.mjs");
console.warn = warn;

export interface PdfText {
  readonly text: string;
  /** Distance of its start from the left edge of the page, in points. */
  readonly x: number;
  /** Distance of its baseline from the top edge of the page, in points. */
  readonly y: number;
  /** In points. */
  readonly fontSize: number;
}

export interface PdfPage {
  /** In points. */
  readonly width: number;
  readonly height: number;
  readonly textItems: readonly PdfText[];
  /** Roles in the structure tree, such as `H1`, in order; empty if the PDF has no tags. */
  readonly roles: readonly string[];
}

export interface Bookmark {
  readonly title: string;
  readonly children: readonly Bookmark[];
}

export interface PdfContent {
  readonly pages: readonly PdfPage[];
  readonly outline: readonly Bookmark[];
  readonly information: Readonly<Record<string, unknown>>;
}

/** Reads a PDF with pdf.js, which shares no code with the writer. */
export async function readPdf(bytes: Uint8Array): Promise<PdfContent> {
  const task = getDocument({ data: Uint8Array.from(bytes), verbosity: 0 });
  const file = await task.promise;
  const numbers = Array.from({ length: file.numPages }, (_, index) => index + 1);
  const pages = await Promise.all(numbers.map(async (number) => readPage(await file.getPage(number))));
  const outline = bookmarksOf(await file.getOutline());
  const { info } = await file.getMetadata();
  await task.destroy();
  return { pages, outline, information: { ...info } };
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocument>["promise"]>["getPage"]>>;

async function readPage(page: Page): Promise<PdfPage> {
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
  const { items } = await page.getTextContent();
  const textItems = items.flatMap((item) => {
    if (!("str" in item) || item.str.trim() === "") return [];
    const [, , , fontSize = 0, x = 0, y = 0] = item.transform as number[];
    return [{ text: item.str, x: x - left, y: top - y, fontSize }];
  });
  return { width: right - left, height: top - bottom, textItems, roles: rolesOf(await page.getStructTree()) };
}

interface StructureNode {
  readonly role?: string;
  readonly children?: readonly unknown[];
}

function rolesOf(node: StructureNode | null): string[] {
  const childRoles = (node?.children ?? []).flatMap((child) => rolesOf(child as StructureNode));
  return node?.role === undefined ? childRoles : [node.role, ...childRoles];
}

interface OutlineNode {
  readonly title: string;
  readonly items: readonly OutlineNode[];
}

function bookmarksOf(nodes: readonly OutlineNode[] | null): Bookmark[] {
  return (nodes ?? []).map(({ title, items }) => ({ title, children: bookmarksOf(items) }));
}
