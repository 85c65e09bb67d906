import { styleText } from "node:util";

/** What `serve --dev` prints at startup; also its JSON output. */
export interface BannerFacts {
  readonly origin: string;
  readonly docs: string;
  /** The Model Context Protocol endpoint. */
  readonly mcp: string;
  /** A sign-in link for the console, which works once and expires after ten minutes; `null` without a console. */
  readonly console: string | null;
  readonly demo_page: string;
  readonly token: string;
  readonly data_dir: string;
  readonly sandbox: "on" | "off";
  readonly ready: boolean;
  /** A command that can be pasted into a shell to save an image. */
  readonly curl: string;
}

const NO_SANDBOX = [
  "WARNING: THE BROWSER IS RUNNING WITHOUT ITS SANDBOX.",
  "A hostile page can take over the user account of this process:",
  "render only pages that you trust. Run snap-server doctor to see the fix.",
];

const NOT_READY = [
  "NOT READY: THE BROWSER DOES NOT START.",
  "Renders fail with 502 until it does. Run snap-server doctor to see the fix.",
];

/** Formats the banner; the command has its own line, for copying. */
export function formatBanner(facts: BannerFacts): string {
  const [tokenId = ""] = facts.token.split("|");
  return [
    "",
    `${bold("snap")} listening at ${bold(facts.origin)}`,
    "",
    `  start page  ${facts.origin}/`,
    `  reference   ${facts.docs}`,
    `  assistants  ${facts.mcp}`,
    `  demo page   ${facts.demo_page}`,
    `  demo token  ${facts.token}`,
    `  data        ${facts.data_dir}`,
    `  signing     npx snap-server tokens reveal ${tokenId}`,
    "",
    ...(facts.sandbox === "off" ? [framed(NO_SANDBOX), ""] : []),
    ...(facts.ready ? [] : [framed(NOT_READY), ""]),
    "Render the demo page to demo.png:",
    "",
    facts.curl,
    "",
    ...(facts.console === null
      ? []
      : ["Sign in to the console (works once, for ten minutes):", "", facts.console, ""]),
    "Press Ctrl-C to stop.",
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
