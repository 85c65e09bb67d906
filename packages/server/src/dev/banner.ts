import { styleText } from "node:util";

/** What there is to know at the start; also the document for programs. */
export interface BannerFacts {
  readonly origin: string;
  readonly docs: string;
  /** The Model Context Protocol endpoint. */
  readonly mcp: string;
  readonly demo_page: string;
  readonly token: string;
  readonly data_dir: string;
  readonly sandbox: "on" | "off";
  readonly ready: boolean;
  /** A command that works as pasted and saves a picture. */
  readonly curl: string;
}

const NO_SANDBOX = [
  "WARNING: THE BROWSER RUNS WITHOUT ITS SANDBOX.",
  "A hostile page may take over the account that this runs under:",
  "render pages that you trust only. snap-server doctor says what to do.",
];

const NOT_READY = [
  "NOT READY: THE BROWSER DOES NOT START.",
  "Renders answer 502 until it does. snap-server doctor says what to do.",
];

/** A short text for people; the command stands alone on its line. */
export function formatBanner(facts: BannerFacts): string {
  const [tokenId = ""] = facts.token.split("|");
  return [
    "",
    `${bold("snap")} listens at ${bold(facts.origin)}`,
    "",
    `  reference   ${facts.docs}`,
    `  assistants  ${facts.mcp}`,
    `  demo page   ${facts.demo_page}`,
    `  demo token  ${facts.token}`,
    `  data        ${facts.data_dir}`,
    `  signing     npx snap-server tokens reveal ${tokenId} shows the signing secret`,
    "",
    ...(facts.sandbox === "off" ? [framed(NO_SANDBOX), ""] : []),
    ...(facts.ready ? [] : [framed(NOT_READY), ""]),
    "This renders the demo page and saves the picture as demo.png:",
    "",
    facts.curl,
    "",
    "Ctrl-C stops it.",
    "",
  ].join("\n");
}

function framed(lines: readonly string[]): string {
  const width = Math.max(...lines.map((line) => line.length));
  const edge = "!".repeat(width + 6);
  const rows = lines.map((line) => `!! ${line.padEnd(width)} !!`);
  return styleText(["red", "bold"], [edge, ...rows, edge].join("\n"), { stream: process.stdout });
}

function bold(text: string): string {
  return styleText("bold", text, { stream: process.stdout });
}
