import { LIMITS } from "../../limits.ts";
import { canonicalPageRanges } from "../page-ranges.ts";
import { isSelfContained } from "../print-html.ts";
import { PDF, type Row } from "../row.ts";

const SELF_CONTAINED_HTML = {
  maxCharacters: LIMITS.codeCharacters,
  syntax:
    'HTML that loads nothing (images only as <img src="data:image/...">, no <script>, <link>, frames or url())',
  placeholder: "html",
  canonicalize: (html: string) => (isSelfContained(html) ? html : null),
} as const;
const CLASSES_DESCRIPTION =
  "Elements with the class `date`, `title`, `url`, `pageNumber` or `totalPages` show that value.";

const DOCUMENT_TEXT = {
  maxCharacters: LIMITS.documentTextCharacters,
  syntax: "text",
  placeholder: "text",
} as const;

export const PRINT_ROWS: readonly Row[] = [
  {
    name: "headerHtml",
    modes: PDF,
    kind: "text",
    ...SELF_CONTAINED_HTML,
    description: `HTML in the top margin of each page, 9 pt and black by default; requires \`marginTop\` above 0. ${CLASSES_DESCRIPTION}`,
    example: '<span class="title"></span>',
  },
  {
    name: "footerHtml",
    modes: PDF,
    kind: "text",
    ...SELF_CONTAINED_HTML,
    description:
      "HTML in the bottom margin of each page, like `headerHtml`; requires `marginBottom` above 0.",
    example: '<span class="pageNumber"></span> / <span class="totalPages"></span>',
  },
  {
    name: "pageRanges",
    modes: PDF,
    kind: "text",
    maxCharacters: 100,
    syntax: "pages and ascending ranges, each from 1 to 99999, such as 1-3,5,8-",
    placeholder: "ranges",
    canonicalize: canonicalPageRanges,
    description: "Pages to print, in document order.",
    example: "1-3,5,8-",
  },
  {
    name: "printBackground",
    modes: PDF,
    kind: "flag",
    default: true,
    description: "Whether to print background colors and images.",
    example: false,
  },
  {
    name: "outline",
    modes: PDF,
    kind: "flag",
    default: false,
    description: "Add bookmarks: an outline of the headings.",
    example: true,
  },
  {
    name: "tagged",
    modes: PDF,
    kind: "flag",
    default: false,
    description: "Tag the structure for screen readers.",
    example: true,
  },
  {
    name: "pdfTitle",
    modes: PDF,
    kind: "text",
    ...DOCUMENT_TEXT,
    description: "Title in the document information; by default, the page's title.",
    example: "Invoice 2026-0042",
  },
  {
    name: "pdfAuthor",
    modes: PDF,
    kind: "text",
    ...DOCUMENT_TEXT,
    description: "Author in the document information.",
    example: "Example Ltd.",
  },
  {
    name: "pdfSubject",
    modes: PDF,
    kind: "text",
    ...DOCUMENT_TEXT,
    description: "Subject in the document information.",
    example: "Invoice",
  },
  {
    name: "pdfKeywords",
    modes: PDF,
    kind: "text",
    ...DOCUMENT_TEXT,
    description: "Keywords in the document information, separated by commas.",
    example: "invoice, 2026",
  },
];
