export interface InvoiceLine {
  readonly description: string;
  readonly quantity: number;
  /** Price per unit, in pence. */
  readonly cents: number;
}

export interface Invoice {
  readonly number: string;
  /** ISO 8601, such as `2026-11-23`. */
  readonly date: string;
  /** Name and address, one element for each line. */
  readonly customer: readonly string[];
  readonly lines: readonly InvoiceLine[];
}

export const SELLER = "Juniper & Ash Ltd. · 12 Mill Lane, Bath · VAT GB 123 4567 89";
const TAX_PERCENT = 20;

/** Inline SVG, because a header loads nothing. */
const LOGO = `<svg viewBox="0 0 30 30" width="9mm" height="9mm">
  <circle cx="15" cy="15" r="14" fill="#14532d"/>
  <path d="M15 5c6 5 6 12 0 20-6-8-6-15 0-20z" fill="#bbf7d0"/>
</svg>`;

const STYLE = `
  body { margin: 0; font: 10.5pt/1.45 Lora, serif; color: #1c1917 }
  header { display: flex; justify-content: space-between; margin-bottom: 10mm }
  h1 { margin: 0; font-size: 22pt; color: #14532d }
  address { font-style: normal; text-align: right }
  table { width: 100%; border-collapse: collapse }
  th { border-bottom: 0.5mm solid #14532d; text-align: left }
  th, td { padding: 1.6mm 2mm }
  tbody.lines tr:nth-child(even) { background: #f0fdf4 }
  .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
  .total { border-top: 0.5mm solid #14532d; font-size: 13pt; font-weight: bold }
  /* no row is split, and the totals stay with the last line */
  tr, tbody.end { break-inside: avoid }`;

/** Returns the invoice as HTML. `font` is a WOFF2 file. */
export function invoiceHtml({ number, date, customer, lines }: Invoice, font: Uint8Array): string {
  const net = lines.reduce((sum, line) => sum + amountOf(line), 0);
  const tax = Math.round((net * TAX_PERCENT) / 100);
  const rows = lines.map(rowOf);
  const sum = (label: string, cents: number, style = ""): string =>
    `<tr class="${style}"><td colspan="3" class="number">${label}<td class="number">${money(cents)}</tr>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Invoice ${escapeHtml(number)}</title>
<style>
  @font-face { font-family: Lora; src: url(data:font/woff2;base64,${Buffer.from(font).toString("base64")}) }
  ${STYLE}
</style>
<header>
  <div><h1>Invoice ${escapeHtml(number)}</h1>${longDate(date)}</div>
  <address>${customer.map(escapeHtml).join("<br>")}</address>
</header>
<table>
  <thead><tr><th>Description<th class="number">Quantity<th class="number">Price<th class="number">Amount</tr></thead>
  <tbody class="lines">${rows.slice(0, -1).join("\n")}</tbody>
  <tbody class="end">${rows.slice(-1).join("")}
    ${sum("Net", net)}${sum(`VAT ${TAX_PERCENT}%`, tax)}${sum("Total", net + tax, "total")}
  </tbody>
</table>`;
}

export function headerHtml({ number }: Invoice): string {
  return `<div style="display: flex; justify-content: space-between; align-items: center">${LOGO}
    <span>Invoice ${escapeHtml(number)}</span></div>`;
}

export const FOOTER_HTML = `<div style="display: flex; justify-content: space-between; color: #57534e">
  <span>${escapeHtml(SELLER)}</span>
  <span><span class="pageNumber"></span> / <span class="totalPages"></span></span></div>`;

function rowOf(line: InvoiceLine): string {
  const { description, quantity, cents } = line;
  return `<tr><td>${escapeHtml(description)}<td class="number">${quantity}
    <td class="number">${money(cents)}<td class="number">${money(amountOf(line))}</tr>`;
}

function amountOf({ quantity, cents }: InvoiceLine): number {
  return Math.round(quantity * cents);
}

function money(cents: number): string {
  return new Intl.NumberFormat("en-GB", { style: "currency", currency: "GBP" }).format(cents / 100);
}

function longDate(date: string): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(new Date(date));
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
