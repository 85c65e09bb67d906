import { slug } from "github-slugger";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { DefaultTheme, UserConfig } from "vitepress";
import { ROOT } from "../workspace.ts";
import { describePage, llmsText, type SiteSection } from "./llms.ts";

const DOCS = join(ROOT, "docs");

/** Lists the pages of a folder in the order of an index, which must link to each. */
function pagesOf(folder: string, index = "README.md"): string[] {
  const text = readPage(index);
  return readdirSync(join(DOCS, folder))
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .map((file) => {
      const path = `${folder}/${file}`;
      const place = text.indexOf(`(${relative(dirname(index), path)})`);
      if (place === -1) throw new Error(`docs/${index} does not link to ${path}`);
      return { path, place };
    })
    .toSorted((a, b) => a.place - b.place)
    .map(({ path }) => path);
}

function readPage(path: string): string {
  return readFileSync(join(DOCS, path), "utf8");
}

/** The pages of the site except the README files, in the order of the sidebar. */
export const SECTIONS: readonly SiteSection[] = [
  { title: "Learn", pages: ["tutorial.md", "gallery/index.md"] },
  { title: "Guides", pages: pagesOf("how-to") },
  { title: "Reference", pages: [...pagesOf("reference"), "glossary.md"] },
  { title: "Explanation", pages: [...pagesOf("explanation"), "benchmarks.md"] },
  { title: "Decisions", pages: pagesOf("decisions", "decisions/README.md") },
];

function pageItem(path: string): DefaultTheme.SidebarItem {
  return { text: describePage(readPage(path)).title, link: `/${path.replace(/[.]md$/, "")}` };
}

const WIDE_TABLES = `
  .tables .VPDoc .container, .tables .VPDoc .content { max-width: 1180px !important; }
  .tables .vp-doc td, .tables .vp-doc th { font-size: 13.5px; line-height: 1.5; padding: 6px 12px; text-align: left; }
  .tables .vp-doc td code { white-space: nowrap; }
`;

/** Shows the images in a `<details>` element side by side, as GitHub does. */
const HIDDEN_IMAGES =
  ".vp-doc details img { display: inline; vertical-align: top; } .vp-doc details img + img { margin-left: 12px; }";

/** Whether a page consists mostly of tables. */
function isWide(path: string): boolean {
  return path === "benchmarks.md" || (path.startsWith("reference/") && path !== "reference/specification.md");
}

interface Command {
  readonly command: "build" | "serve";
}

/** The site contains the Markdown pages of docs/ and loads nothing from other origins. */
export const siteConfig = ({ command }: Command): UserConfig<DefaultTheme.Config> => ({
  title: "snap",
  description: "Web pages to PNG, JPEG, WebP, AVIF and PDF, on your own machine.",
  rewrites: { "README.md": "index.md" },
  // Broken links fail the build.
  ignoreDeadLinks: false,
  metaChunk: true,
  // Use the same heading anchors as GitHub.
  markdown: {
    anchor: { slugify: (text: string) => slug(text) },
    languageAlias: { caddyfile: "nginx" },
    config(md) {
      const { fence } = md.renderer.rules;
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info, content } = tokens[index] ?? { info: "", content: "" };
        if (info !== "mermaid") return fence?.(tokens, index, ...rest) ?? "";
        return `<div v-diagrams><pre v-pre>${md.utils.escapeHtml(content)}</pre></div>`;
      };
    },
  },
  // Wide tables need the space that the page outline would take up.
  transformPageData({ relativePath, frontmatter }) {
    if (isWide(relativePath)) Object.assign(frontmatter, { aside: false, pageClass: "tables" });
  },
  head: [["style", {}, WIDE_TABLES + HIDDEN_IMAGES]],
  buildEnd({ outDir }) {
    writeFileSync(join(outDir, "llms.txt"), llmsText(SECTIONS, readPage));
  },
  // `vitepress dev` prints its address at the level `info`
  vite: { logLevel: command === "serve" ? "info" : "warn", build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    search: { provider: "local" },
    outline: { level: [2, 3] },
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "Gallery", link: "/gallery/index" },
      { text: "Guides", link: "/how-to/call-from-your-code", activeMatch: "^/how-to/" },
      { text: "Reference", link: "/reference/specification", activeMatch: "^/(reference/|glossary)" },
      {
        text: "Explanation",
        link: "/explanation/architecture",
        activeMatch: "^/(explanation/|benchmarks|decisions)",
      },
    ],
    sidebar: SECTIONS.map(({ title, pages }) => {
      const items = pages.map(pageItem);
      if (title !== "Decisions") return { text: title, items };
      return { text: title, link: "/decisions/README", collapsed: true, items };
    }),
    docFooter: { prev: "Previous", next: "Next" },
  },
});
