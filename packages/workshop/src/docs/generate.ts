import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { format } from "prettier";
import { galleryPage } from "../gallery/page.ts";
import { ROOT } from "../workspace.ts";
import { withPackageDiagram } from "./package-diagram.ts";
import { parameterTypes } from "./parameter-types.ts";
import { withExamples } from "./recipes.ts";
import { adminApiPage } from "./reference/admin-api.ts";
import { commandLinePage } from "./reference/command-line.ts";
import { configurationPage } from "./reference/configuration.ts";
import { errorsPage } from "./reference/errors.ts";
import { headersPage } from "./reference/headers.ts";
import { limitsPage } from "./reference/limits.ts";
import { metricsPage } from "./reference/metrics.ts";
import type { ReferencePage } from "./reference/page.ts";
import { parametersPage } from "./reference/parameters.ts";
import { toolsPage } from "./reference/tools.ts";
import { withVersions } from "./versions.ts";

const REFERENCE: readonly ReferencePage[] = [
  parametersPage,
  errorsPage,
  headersPage,
  limitsPage,
  configurationPage,
  metricsPage,
  commandLinePage,
  toolsPage,
  adminApiPage,
];
const ARCHITECTURE = "docs/explanation/architecture.md";
const RECIPES = "docs/how-to/recipes.md";
const SUPPORT = "docs/reference/support.md";

/** Returns the text of each file derived from the code, by its path. Imports the built packages. */
export async function generateFiles(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const page of REFERENCE) files.set(`docs/reference/${page.file}`, await pageText(page));
  files.set("docs/gallery/index.md", await pageText(await galleryPage()));
  files.set("packages/protocol/src/parameters/values.ts", await parameterTypes());
  files.set(ARCHITECTURE, withPackageDiagram(await readFile(join(ROOT, ARCHITECTURE), "utf8")));
  files.set(RECIPES, withExamples(await readFile(join(ROOT, RECIPES), "utf8")));
  files.set(SUPPORT, await formatPage(withVersions(await readFile(join(ROOT, SUPPORT), "utf8"))));
  return files;
}

/** Deterministic: the same code produces the same bytes. */
function pageText({ title, summary, parts }: ReferencePage): Promise<string> {
  const text = [
    `# ${title}`,
    "<!-- Generated from the code by packages/workshop/src/docs/generate.ts: change the code, then run `pnpm site reference`. -->",
    summary,
    ...parts(),
  ].join("\n\n");
  return formatPage(text);
}

function formatPage(text: string): Promise<string> {
  return format(text, { parser: "markdown", printWidth: 110 });
}

/** Returns the paths of files that are missing or differ from the generated ones. */
export async function findStaleFiles(files: ReadonlyMap<string, string>, root: string): Promise<string[]> {
  const stale: string[] = [];
  for (const [path, text] of files)
    if ((await readFile(join(root, path), "utf8").catch(() => null)) !== text) stale.push(path);
  return stale;
}

/** Writes only stale files, because a newer file triggers a build. */
export async function writeStaleFiles(files: ReadonlyMap<string, string>, root: string): Promise<void> {
  for (const path of await findStaleFiles(files, root))
    await writeFile(join(root, path), files.get(path) ?? "");
}
