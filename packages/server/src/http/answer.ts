import { isSnapError, type Capture, type Engine, type Principal, type RenderingLink } from "@snap/engine";
import { identifyContent, isLinkable, type SeparatedContent } from "@snap/engine/internals";
import { ANSWERS, mustBeOneOf, ProblemList, type Answer, type RenderingDocument } from "@snap/protocol";
import { imageSize } from "image-size";
import { rejectParameter, rejectProblems } from "../requests/read-input.ts";
import { factsOf } from "../requests/rendering-facts.ts";

const NAME = "answer";

/** `answer`, and the parameters of the rendering, which it does not affect. */
interface Separated<Sent> {
  readonly answer: Answer;
  readonly parameters: Sent;
  /** Why `answer` is invalid; `null` if it is valid. The parameters contain an invalid one, so they are rejected too. */
  readonly problem: string | null;
}

/** Separates `answer` from the parameters of a JSON body. */
export function separateAnswer(
  sent: Readonly<Record<string, unknown>>,
): Separated<Readonly<Record<string, unknown>>> {
  const { [NAME]: value = "file", ...parameters } = sent;
  const answer = findAnswer(value);
  if (answer === undefined) return { answer: "file", parameters: sent, problem: mustBeOneOf(ANSWERS, value) };
  return { answer, parameters, problem: null };
}

/** Separates `answer` from the parameters of a query. */
export function separateQueryAnswer(text: string): Separated<string> {
  const query = new URLSearchParams(text);
  // nearly every query is passed on unchanged
  if (!query.has(NAME)) return { answer: "file", parameters: text, problem: null };
  const [value, ...others] = query.getAll(NAME);
  if (others.length > 0) return { answer: "file", parameters: text, problem: "must be sent only once" };
  const answer = findAnswer(value);
  if (answer === undefined) return { answer: "file", parameters: text, problem: mustBeOneOf(ANSWERS, value) };
  query.delete(NAME);
  return { answer, parameters: query.toString(), problem: null };
}

function findAnswer(value: unknown): Answer | undefined {
  return ANSWERS.find((answer) => answer === value);
}

/**
 * Rejects a capture with an invalid `answer`. The engine has no parameter of that name, so it rejects it in its order of
 * checks and with all other problems; only the message is replaced.
 */
export async function rejectAnswer(capture: Promise<unknown>, problem: string): Promise<never> {
  const error: unknown = await capture.then(
    () => rejectParameter(NAME, problem),
    (thrown: unknown) => thrown,
  );
  if (!isSnapError(error) || error.errors?.[NAME] === undefined) throw error;
  const problems = new ProblemList();
  problems.addAll({ ...error.errors, [NAME]: [problem] });
  rejectProblems(problems);
  throw error;
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
