import type { Capture, Engine, Principal, RenderingLink } from "@snap/engine";
import { isLinkable, type SeparatedContent } from "@snap/engine/internals";
import { ANSWERS, type Answer, type RenderingDocument } from "@snap/protocol";
import { imageSize } from "image-size";
import { factsOf } from "../requests/rendering-facts.ts";

const NAME = "answer";
/** Matches a query that may contain `answer`; its characters can be percent-encoded. */
const MAY_CONTAIN_NAME = /(?:^|&)(?:answer=|[^=&]*%)/;

/** `answer`, which does not affect the rendering, and the parameters, which do. */
interface Separated<Sent> {
  readonly answer: Answer;
  /** Without `answer`. Keeps an invalid one, so the engine reports it together with all other problems. */
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

/** Returns a rendering's metadata, with a link to the file if it is cached and a signed URL can request it. */
export function renderingDocument(engine: Engine, answered: AnsweredCapture): RenderingDocument {
  const { capture } = answered;
  const { bytes, contentType, page } = capture.rendering;
  const isPdf = contentType === "application/pdf";
  const { width, height } = isPdf ? { width: null, height: null } : imageSize(bytes);
  return {
    ...factsOf(capture, linkOf(engine, answered)),
    width,
    height,
    pages: page?.pages ?? null,
    title: page?.title ?? null,
    final_url: page?.finalUrl ?? null,
  };
}

function linkOf(
  engine: Engine,
  { principal, capture, parameters, baseUrl }: AnsweredCapture,
): RenderingLink | null {
  return isLinkable({ url: capture.url, ...parameters })
    ? engine.link({ principal, parameters, capture, baseUrl })
    : null;
}
