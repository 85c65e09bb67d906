import { format } from "prettier";
import { commandLinePage } from "./command-line.ts";
import { configurationPage } from "./configuration.ts";
import { errorsPage } from "./errors.ts";
import { headersPage } from "./headers.ts";
import { limitsPage } from "./limits.ts";
import type { ReferencePage } from "./page.ts";
import { parametersPage } from "./parameters.ts";
import { toolsPage } from "./tools.ts";

/** In the order of the site. */
export const REFERENCE_PAGES: readonly ReferencePage[] = [
  parametersPage,
  errorsPage,
  headersPage,
  limitsPage,
  configurationPage,
  commandLinePage,
  toolsPage,
];

/** The page as it is kept: the same code gives the same bytes. */
export async function writePage(page: ReferencePage): Promise<string> {
  const text = [
    `# ${page.title}`,
    "<!-- Generated from the code by packages/workshop/src/docs/generate.ts: change the code, then run `pnpm site reference`. -->",
    page.summary,
    page.body(),
  ].join("\n\n");
  return format(text, { parser: "markdown", printWidth: 110 });
}
