import { SnapError } from "@snap/engine";
import type { IncomingMessage } from "node:http";
import { readBody } from "./request-body.ts";

/** Parameters have no meaning for this type (RFC 8259, 11): text that isn't UTF-8 is found when it is decoded. */
const JSON_TYPE = /^application\/json[ \t]*(;|$)/i;

/**
 * Reads the JSON document that a request carries. A byte order mark is ignored, as RFC 8259, 8.1 allows:
 * common tools write one.
 *
 * @throws SnapError `validation_failed` with `errors.body` for what is no JSON, or isn't declared as it;
 * otherwise as `readBody` does.
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  // Read whatever it is declared as: the connection goes on behind it.
  const bytes = await readBody(request);
  const { "content-type": type = "", "content-encoding": coding = "identity" } = request.headers;
  if (!JSON_TYPE.test(type)) throw refusal("must be sent with Content-Type: application/json");
  if (coding.toLowerCase() !== "identity") throw refusal("must be sent without a Content-Encoding");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // What the parser says would quote the body, which may hold what is secret, in the log.
    throw refusal("must be well-formed JSON in UTF-8");
  }
}

function refusal(fault: string): SnapError {
  return new SnapError("validation_failed", `The body ${fault}`, { errors: { body: [fault] } });
}
