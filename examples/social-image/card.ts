export interface Article {
  readonly title: string;
  readonly author: string;
}

/** The size that social networks recommend. */
export const CARD_SIZE = { width: 1200, height: 630 } as const;

/** Returns the HTML of an article's preview image. */
export function cardHtml({ title, author }: Article): string {
  // a smaller font for long titles
  const fontSize = Math.max(44, Math.min(88, Math.round(2400 / title.length)));
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<style>
  body { margin: 0; box-sizing: border-box; height: 100vh; padding: 72px; display: flex; flex-direction: column;
    justify-content: space-between; color: white; font-family: sans-serif;
    background: radial-gradient(circle at 85% 15%, #f59e0b, #b91c1c 45%, #450a0a) }
  h1 { margin: 0; max-width: 16em; font-size: ${fontSize}px; line-height: 1.15; text-wrap: balance }
  p { margin: 0; font-size: 32px }
</style>
<h1>${escapeHtml(title)}</h1><p>${escapeHtml(author)} · blog.example.com</p>`;
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
