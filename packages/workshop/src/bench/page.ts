const CARDS = 60;

/** A page of cards with colours, shadows and text: enough to draw and to compress, and all of it inline. */
export const PAGE = `<!doctype html><meta charset="utf-8"><title>cards</title>
<style>
  body { margin: 24px; font: 15px/1.5 sans-serif; display: grid; grid-template-columns: repeat(6, 1fr); gap: 16px }
  article { padding: 16px; border-radius: 12px; box-shadow: 0 4px 16px rgb(0 0 0 / 20%) }
</style>
${Array.from({ length: CARDS }, (_, index) => {
  const hue = (index * 360) / CARDS;
  return `<article style="background:hsl(${hue} 70% 85%)">
  <h3>Card ${index}</h3><p>A few words of text, so that there are glyphs to draw.</p></article>`;
}).join("\n")}`;
