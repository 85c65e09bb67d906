import type { Capture, Engine, Principal, RenderingLink } from "@snap/engine";
import { identifyContent, isLinkable, type SeparatedContent } from "@snap/engine/internals";
import { ANSWERS, mustBeOneOf, type RenderingDocument } from "@snap/protocol";
import { imageSize } from "image-size";
import { rejectParameter } from "../requests/read-input.ts";
import { factsOf } from "../requests/rendering-facts.ts";

/** What a capture responds with: the file, or its metadata. */
export type Answer = (typeof ANSWERS)[number];

const NAME = "answer";

/**
 * Separates `answer` from the parameters of the rendering, which it does not affect.
 *
 * @throws SnapError `validation_failed` if it is invalid.
 */
export function separateAnswer({
  [NAME]: value = "file",
  ...parameters
}: Readonly<Record<string, unknown>>): {
  readonly answer: Answer;
  readonly parameters: Readonly<Record<string, unknown>>;
} {
  return { answer: toAnswer(value), parameters };
}

/** Like `separateAnswer`, for the text of a query. */
export function separateQueryAnswer(text: string): { readonly answer: Answer; readonly parameters: string } {
  const query = new URLSearchParams(text);
  // nearly every query is passed on unchanged
  if (!query.has(NAME)) return { answer: "file", parameters: text };
  const [value, ...others] = query.getAll(NAME);
  if (others.length > 0) rejectParameter(NAME, "must be sent only once");
  query.delete(NAME);
  return { answer: toAnswer(value), parameters: query.toString() };
}

function toAnswer(value: unknown): Answer {
  return ANSWERS.find((answer) => answer === value) ?? rejectParameter(NAME, mustBeOneOf(ANSWERS, value));
}

interface AnsweredCapture extends SeparatedContent {
  readonly principal: Principal;
  readonly capture: Capture;
  /** Base of signed URLs; ends in `/v1`. */
  readonly baseUrl: string;
}

/** Returns a rendering's metadata, with a link to the file if a signed URL can request it. */
export async function renderingDocument(
  engine: Engine,
  answered: AnsweredCapture,
): Promise<RenderingDocument> {
  const { capture } = answered;
  const { bytes, contentType, page } = capture.rendering;
  const isPdf = contentType === "application/pdf";
  const { width, height } = isPdf ? { width: null, height: null } : imageSize(bytes);
  return {
    ...factsOf(capture, await linkOf(engine, answered)),
    width,
    height,
    pages: page?.pages ?? null,
    title: page?.title ?? null,
    final_url: page?.finalUrl ?? null,
  };
}

async function linkOf(
  engine: Engine,
  { principal, capture, parameters: sent, document, baseUrl }: AnsweredCapture,
): Promise<RenderingLink | null> {
  if (capture.cache === "bypass") return null;
  // the link contains the URL that identifies the content, whose rendering is in the cache
  const parameters = document ? { ...sent, url: (await identifyContent(document)).url } : sent;
  return isLinkable(parameters) ? engine.link({ principal, parameters, capture, baseUrl }) : null;
}
