import { toFailure, type AnswerContext } from "./to-failure.ts";
import { parseObject } from "./parse-object.ts";
import { readText } from "./read-text.ts";

/**
 * Reads an answer as the JSON document of the contract that has this member, an object or an array.
 *
 * @throws SnapError `unexpected_answer` for anything else.
 */
export function readDocument<T extends object>(
  member: keyof T & string,
): (response: Response, context: AnswerContext) => Promise<T> {
  const isDocument = (value: Readonly<Record<string, unknown>>): value is T & typeof value =>
    Object(value[member]) === value[member];
  return async (response, context) => {
    const text = await readText(response);
    const document = parseObject(text);
    if (isDocument(document)) return document;
    throw toFailure(response, { ...context, text });
  };
}
