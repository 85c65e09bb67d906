import type { HostName } from "./hosts.ts";

export type Origins = Readonly<Record<HostName, string>>;

/** What the page needs from each host: 40 resources, besides the slow third party. */
const RESOURCES = {
  page: { styles: 2, scripts: 3, images: 5, fonts: 0 },
  files: { styles: 2, scripts: 5, images: 2, fonts: 1 },
  images: { styles: 0, scripts: 0, images: 10, fonts: 0 },
  moreImages: { styles: 0, scripts: 0, images: 10, fonts: 0 },
} as const;
type Supplier = keyof typeof RESOURCES;

const list = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join("\n");

const image = (origin: string, index: number): string =>
  `<img src="${origin}/image/${index}.png" width="120" height="120" alt="">`;

/**
 * A page as on the internet: styles that need a font, scripts that add elements, images from several hosts,
 * the last ten of which a script inserts, and a third party that answers after a second.
 */
export function writePage(origins: Origins): string {
  const of = (name: Supplier, kind: "styles" | "scripts", write: (url: string) => string): string =>
    list(RESOURCES[name][kind], (index) => write(`${origins[name]}/${kind}/${index}`));
  const style = (url: string): string => `<link rel="stylesheet" href="${url}.css">`;
  const script = (url: string): string => `<script defer src="${url}.js"></script>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>distant</title>
${of("page", "styles", style)}
${of("files", "styles", style)}
${of("page", "scripts", script)}
${of("files", "scripts", script)}
<h1>A page with parts from several hosts</h1><main></main>
${(["page", "files", "images"] as const).map((name) => list(RESOURCES[name].images, (index) => image(origins[name], index))).join("\n")}
<section></section>
<script type="module">
document.querySelector("section").innerHTML = ${JSON.stringify(list(RESOURCES.moreImages.images, (index) => image(origins.moreImages, index)))};
fetch("${origins.slow}/slow.txt").then((answer) => answer.text()).then((text) => {
  document.querySelector("section").append(text);
});
</script>`;
}

/** Only the first style sheet of the second host uses the font. */
export function writeStyle(index: number, origins: Origins): string {
  if (index === 0)
    return `@font-face { font-family: Web; src: url(${origins.files}/font/400.woff2) } body { font: 15px/1.5 Web }`;
  return `article:nth-child(${index + 1}n) { padding: 12px; background: hsl(${index * 70} 60% 90%) }`;
}

export function writeScript(index: number): string {
  return `document.querySelector("main").append(Object.assign(document.createElement("article"), { textContent: "Part ${index} of the page" }));`;
}
