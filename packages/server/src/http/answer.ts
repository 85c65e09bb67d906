import type { Capture, Engine, Principal, RenderingLink } from "@snap/engine";
import { identifyContent, isLinkable, type SeparatedContent } from "@snap/engine/internals";
import { ANSWERS, type Answer, type RenderingDocument } from "@snap/protocol";
import { imageSize } from "image-size";
import { factsOf } from "../requests/rendering-facts.ts";

const NAME = "answer";
/** Matches a query that may contain `answer`; its characters can be percent-encoded. */
const MAY_CONTAIN_NAME = /(?:^|&)(?:answer=|[^=&]*%)/;

/** `answer`, and the parameters of the rendering, which it does not affect. */
interface Separated<Sent> {
  readonly answer: Answer;
  /** Contain `answer` if it is invalid, so the engine rejects it with all other problems. */
  readonly parameters: Sent;
}

/** Separates `answer` from the parameters of a JSON body. */
export function separateAnswer(
  sent: Readonly<Record<string, unknown>>,
): Separated<Readonly<Record<string, unknown>>> {
  const { [NAME]: value = "file", ...parameters } = sent;
  const answer = findAnswer(value);
  return answer === undefined ? { answer: "file", parameters: sent } : { answer, parameters };
}

/** Separates `answer` from the parameters of a query. */
export function separateQueryAnswer(text: string): Separated<string> {
  if (!MAY_CONTAIN_NAME.test(text)) return { answer: "file", parameters: text };
  const query = new URLSearchParams(text);
  const [value, ...others] = query.getAll(NAME);
  const answer = findAnswer(value);
  if (answer === undefined || others.length > 0) return { answer: "file", parameters: text };
  query.delete(NAME);
  return { answer, parameters: query.toString() };
}

function findAnswer(value: unknown): Answer | undefined {
  return ANSWERS.find((answer) => answer === value);
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
