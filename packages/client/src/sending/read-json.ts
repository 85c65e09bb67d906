import { parseObject, readText } from "./read-body.ts";
import { toFailure, type ResponseContext } from "./to-failure.ts";

/** Accepts only a 204. @throws SnapError `unexpected_answer` for another 2xx. */
export async function readNoContent(response: Response, context: ResponseContext): Promise<void> {
  if (response.status !== 204) throw toFailure(response, { ...context, text: await readText(response) });
}

/**
 * Returns a function that reads the JSON document of a 2xx. The document must have this member with this type.
 *
 * @throws SnapError `unexpected_answer` for any other 2xx.
 */
export function readJson<T extends object>(
  member: keyof T & string,
  type: "object" | "string" = "object",
): (response: Response, context: ResponseContext) => Promise<T> {
  const isDocument = (value: Readonly<Record<string, unknown>>): value is T & typeof value =>
    value[member] !== null && typeof value[member] === type;
  return async (response, context) => {
    const text = await readText(response);
    const document = parseObject(text);
    if (isDocument(document)) return document;
    throw toFailure(response, { ...context, text });
  };
}
