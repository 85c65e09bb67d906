/** The documents of the contract stay far below, with 20 items of the longest addresses and links too. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** The body as text, cut off at a bound: an answer that never ends isn't the service's. */
export async function readText({ body }: Response): Promise<string> {
  if (body === null) return "";
  // Not every browser can iterate over a stream.
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let readBytes = 0;
  while (readBytes < MAX_TEXT_BYTES) {
    const { done, value } = await reader.read();
    if (done) return text;
    readBytes += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  reader.cancel().catch(() => {});
  return text;
}

/** The members of a JSON object; none for any other text. */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...(JSON.parse(text) as object | null) };
  } catch {
    return {};
  }
}
