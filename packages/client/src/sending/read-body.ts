/** Above the largest JSON response: a batch of 20 items, or a list of 200, with the longest URLs. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** Reads the body as text, up to a limit, because a response that is not from the service can be endless. */
export async function readText({ body }: Response): Promise<string> {
  if (body === null) return "";
  // not every browser supports async iteration of streams
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let receivedBytes = 0;
  while (receivedBytes < MAX_TEXT_BYTES) {
    const { done, value } = await reader.read();
    if (done) return text;
    receivedBytes += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  reader.cancel().catch(() => {});
  return text;
}

/** Returns the members of a JSON value; an empty object if it has none, or for text that is not JSON. */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...(JSON.parse(text) as object | null) };
  } catch {
    return {};
  }
}
