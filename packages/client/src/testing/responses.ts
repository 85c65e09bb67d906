import { HEADERS, ProblemList, type BatchItem, type ErrorCode, type ParameterProblems } from "@snap/protocol";
import { factsOf } from "../sending/to-failure.ts";

/** An error from the service. */
export interface FakeFailure {
  readonly code: ErrorCode | (string & {});
  /** By default, the status that the contract gives the code; 500 for an unknown one. */
  readonly status?: number | undefined;
  readonly message?: string | undefined;
  /** Sent as `Retry-After`; by default, what the contract gives the code. */
  readonly retryAfterSeconds?: number | undefined;
  /** Error messages by parameter name. */
  readonly errors?: ParameterProblems | undefined;
  /** Sent as `X-Render-Notes`. */
  readonly notes?: readonly string[] | undefined;
}

/** Returns the code and message of a failure. */
export function errorOf({
  code,
  message = `The fake service fails with ${code}.`,
}: FakeFailure): NonNullable<BatchItem["error"]> {
  return { code, message };
}

export function envelope(failure: FakeFailure, requestId: string): Response {
  const { code, errors, notes = [] } = failure;
  const facts = factsOf(code);
  const retryAfterSeconds = failure.retryAfterSeconds ?? facts?.retryAfterSeconds;
  return Response.json(
    { ...errorOf(failure), ...(errors && { errors }), request_id: requestId },
    {
      status: failure.status ?? facts?.status ?? 500,
      headers: {
        "Cache-Control": "no-store",
        [HEADERS.requestId]: requestId,
        ...(retryAfterSeconds !== undefined && { [HEADERS.retryAfter]: String(retryAfterSeconds) }),
        ...(notes.length > 0 && { [HEADERS.renderNotes]: notes.join(", ") }),
      },
    },
  );
}

/** An error that ends the handling of a request. */
export class FailedRequest extends Error {
  readonly failure: FakeFailure;

  constructor(failure: FakeFailure) {
    super(failure.code);
    this.failure = failure;
  }
}

/** @throws FailedRequest for a failed check. */
export function rejectInvalid(failure: FakeFailure | null): void {
  if (failure !== null) throw new FailedRequest(failure);
}

/** @throws FailedRequest for an invalid value. */
export function rejectProblem(name: string, problem: string | null): void {
  if (problem === null) return;
  const problems = new ProblemList();
  problems.add(name, problem);
  rejectInvalid(problems.toFailure());
}
