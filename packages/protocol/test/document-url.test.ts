import { expect, it } from "vitest";
import { documentIdOf } from "../src/document-url.ts";

it("documentIdOf() accepts only a document's root URL, with any query and fragment", () => {
  const id = "0123456789abcdef".repeat(4);
  const origin = "https://documents.snap.invalid";
  for (const url of [`${origin}/${id}/`, `${origin}/${id}`, `${origin}:443/${id}/?a=1#top`])
    expect(documentIdOf(url)).toBe(id);
  for (const url of [
    `http://documents.snap.invalid/${id}/`,
    `${origin}:8443/${id}/`,
    `${origin}/${id}/index.html`,
    `${origin}/${id.toUpperCase()}/`,
    `${origin}/${id}0/`,
    `${origin}/`,
    `https://x.documents.snap.invalid/${id}/`,
    `https://example.com/${id}/`,
    "not a url",
  ])
    expect(documentIdOf(url)).toBeNull();
});
