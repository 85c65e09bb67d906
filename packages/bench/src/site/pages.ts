const CARDS = 60;
const PARAGRAPHS = 120;
const IMAGES = 200;
const WORDS =
  "a page holds words in lines and lines hold glyphs which a browser measures shapes breaks and paints again for every reader who asks".split(
    " ",
  );

const head = (title: string, style: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><style>${style}</style>`;

/** Returns pseudo-random text, the same for the same seed. */
function sentence(seed: number, words: number): string {
  const text = Array.from(
    { length: words },
    (_, index) => WORDS[(seed * 31 + index * index * 7) % WORDS.length],
  );
  return `${text.join(" ")}.`;
}

const repeat = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join("\n");

/** The fixture pages; each is served under its name. */
export const PAGES: Readonly<Record<string, string>> = {
  small: `${head("small", "body { font: 18px sans-serif; margin: 40px }")}<h1>A small page</h1><p>One paragraph.</p>`,

  // Colors, shadows and text to draw and compress, all inline.
  cards: `${head(
    "cards",
    `body { margin: 24px; font: 15px/1.5 sans-serif; display: grid; grid-template-columns: repeat(6, 1fr); gap: 16px }
    article { padding: 16px; border-radius: 12px; box-shadow: 0 4px 16px rgb(0 0 0 / 20%) }`,
  )}
${repeat(
  CARDS,
  (index) => `<article style="background:hsl(${(index * 360) / CARDS} 70% 85%)">
  <h3>Card ${index}</h3><p>A few words of text, so that there are glyphs to draw.</p></article>`,
)}`,

  article: `${head("article", "body { font: 17px/1.6 serif; max-width: 44em; margin: 2em auto }")}<h1>A long article</h1>
${repeat(PARAGRAPHS, (index) => `${index % 8 === 0 ? `<h2>Chapter ${index / 8 + 1}</h2>` : ""}<p>${sentence(index, 90)}</p>`)}`,

  heavy: `${head(
    "heavy",
    `@font-face { font-family: Web; font-weight: 400; src: url(/font/400.woff2) }
    @font-face { font-family: Web; font-weight: 700; src: url(/font/700.woff2) }
    body { font: 14px/1.4 Web; display: grid; grid-template-columns: repeat(10, 1fr); gap: 8px } img { width: 100% }`,
  )}
${repeat(
  IMAGES,
  (index) =>
    `<figure><img src="/image/${index}.png"><figcaption><b>Picture ${index}</b> of ${IMAGES}</figcaption></figure>`,
)}`,

  // A script fetches the rest, which takes 0.1 s.
  soon: `${head("soon", "body { font: 18px sans-serif; display: grid; grid-template-columns: repeat(4, 1fr); gap: 12px }")}<h1>Soon</h1><script>
fetch("/soon.json").then((response) => response.json()).then((names) => {
  for (const name of names)
    document.body.append(Object.assign(document.createElement("article"), { textContent: name }));
});
</script>`,
};
