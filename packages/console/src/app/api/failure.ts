import type { ErrorEnvelope, ParameterProblems } from "@snap/protocol";

/** The code of a request that got no response. */
export const UNREACHABLE = "unreachable";

export interface FailureFacts {
  /** 0 without a response. */
  readonly status: number;
  readonly errors?: ParameterProblems | undefined;
  readonly requestId?: string | null;
  readonly retryAfterSeconds?: number | null;
}

export class ApiFailure extends Error {
  /** A published code, `unreachable`, or `unexpected_response` if the response is not from the service. */
  readonly code: string;
  readonly status: number;
  readonly errors: ParameterProblems;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(code: string, message: string, facts: FailureFacts) {
    super(message);
    this.name = "ApiFailure";
    this.code = code;
    this.status = facts.status;
    this.errors = facts.errors ?? {};
    this.requestId = facts.requestId ?? null;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
  }
}

/** Converts anything thrown, such as the `TypeError` of `fetch` if there is no connection. */
export function toFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  const isTimeout = error instanceof DOMException && error.name === "TimeoutError";
  const message = isTimeout
    ? "The service did not respond in time. Check that it is running, then try again."
    : "The service cannot be reached. Check that it is running and that you are online, then try again.";
  return new ApiFailure(UNREACHABLE, message, { status: 0 });
}

/** Reads the JSON of a response. @throws ApiFailure if it is not JSON, such as a proxy's sign-in page. */
export async function readDocument<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const message =
      "The response is not from the service. A proxy may require you to sign in: reload the page.";
    throw new ApiFailure("unexpected_response", message, factsOf(response));
  }
}

/** Reads the envelope of an error response. A proxy's error page has none. */
export async function readFailure(response: Response): Promise<ApiFailure> {
  const facts = factsOf(response);
  const body: Partial<ErrorEnvelope> | null = await response.json().catch(() => null);
  const { code, message, errors } = body ?? {};
  if (typeof code !== "string" || typeof message !== "string")
    return new ApiFailure(
      "unexpected_response",
      `The service responded with HTTP status ${facts.status}.`,
      facts,
    );
  return new ApiFailure(code, message, { ...facts, errors: problemsIn(errors) });
}

/** Returns only the values that are lists. */
function problemsIn(errors: unknown): ParameterProblems {
  return Object.fromEntries(
    Object.entries(errors ?? {}).filter((entry): entry is [string, string[]] => Array.isArray(entry[1])),
  );
}

function factsOf({ status, headers }: Response): FailureFacts {
  const retryAfter = headers.get("Retry-After");
  return {
    status,
    requestId: headers.get("X-Request-Id"),
    retryAfterSeconds: retryAfter === null ? null : Number(retryAfter),
  };
}
