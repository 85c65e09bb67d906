import type { ClientOptions } from "../client.ts";
import { FakeBatches } from "./batches.ts";
import { FakeDocuments } from "./documents.ts";
import { Renders } from "./renders.ts";
import { envelope, type FakeFailure } from "./responses.ts";
import { respond, type RecordedRequest } from "./routes.ts";

/** How the fake service behaves. */
export interface FakeServiceOptions {
  /**
   * Credits of the account.
   * @default 1000
   */
  readonly credits?: number | undefined;
  /**
   * HTTP status of every page.
   * @default 200
   */
  readonly targetStatus?: number | undefined;
  /** Notes on every rendering; none by default. */
  readonly notes?: readonly string[] | undefined;
  /**
   * Number of polls that it takes to complete a batch; its items finish at an even pace.
   * @default 2
   */
  readonly pollsPerBatch?: number | undefined;
  /** Milliseconds since the Unix epoch; `Date.now` by default. */
  readonly now?: (() => number) | undefined;
}

/** A fake of the service, in memory. */
export interface FakeService {
  /** Options for `createClient`: address, credentials, `fetch`, and a `pacing` that does not wait. */
  readonly options: {
    readonly [Name in "token" | "signingSecret" | "fetch" | "pacing"]: NonNullable<ClientOptions[Name]>;
  } & { readonly baseUrl: string };
  /** Every request so far, in order. */
  readonly requests: readonly RecordedRequest[];
  /**
   * Queues an error from the service. Each request takes the oldest of the queued errors, responses and lost responses;
   * a request for which none is left is processed as usual.
   */
  fail(failure: FakeFailure): void;
  /** Queues a response, such as a proxy's error page, which a request receives without being processed. */
  respondWith(response: Response): void;
  /** Queues a lost response: a request is processed, but fails as if the connection was lost. */
  loseResponse(): void;
  /** Makes every batch item with this URL fail. */
  failItem(url: string, code: string): void;
}

const TOKEN_ID = 7;
const TOKEN = `${TOKEN_ID}|a-token-of-the-fake-service`;
const SIGNER = {
  baseUrl: "https://snap.test/v1",
  tokenId: TOKEN_ID,
  signingSecret: "a signing secret of the fake service",
};

/** Looked up here, so a test's fake timers do not replace it. */
const { setTimeout: startTimer } = globalThis;

type Fault = (respond: () => Promise<Response>, requestId: string) => Promise<Response>;

/**
 * Creates a fake of the service for the tests of a program that uses the client. It checks parameters as the service does,
 * returns tiny valid files, and keeps a cache, credits, batches and documents in memory. All files of a format have the
 * same bytes, but the entity tag depends on the parameters. It cannot list batches, and it delivers no webhooks and stores
 * nothing in object stores.
 *
 * @example
 * const service = createFakeService({ pollsPerBatch: 3 });
 * const snap = createClient(service.options);
 * service.fail({ code: "upstream_error" });
 * await snap.screenshot({ url: "https://example.com" });
 * console.log(service.requests.length); // 2, because the client retried
 */
export function createFakeService(options: FakeServiceOptions = {}): FakeService {
  const { credits = 1000, targetStatus = 200, notes = [], pollsPerBatch = 2, now = Date.now } = options;
  const requests: RecordedRequest[] = [];
  const faults: Fault[] = [];
  const itemErrors = new Map<string, string>();
  const documents = new FakeDocuments(now);
  const renders = new Renders({
    totalCredits: credits,
    targetStatus,
    notes,
    hasDocument: (id) => documents.find(id) !== undefined,
  });
  const batches = new FakeBatches({
    renders,
    signer: SIGNER,
    now,
    pollsPerBatch: Math.max(1, pollsPerBatch),
    itemErrors,
  });
  const dependencies = {
    renders,
    batches,
    documents,
    signer: SIGNER,
    token: TOKEN,
    now,
  };

  return {
    requests,
    options: {
      baseUrl: SIGNER.baseUrl,
      token: TOKEN,
      signingSecret: SIGNER.signingSecret,
      async fetch(input, init) {
        const request = new Request(input, init);
        request.signal.throwIfAborted();
        const recorded = await record(request);
        requests.push(recorded);
        const requestId = `00000000-0000-4000-8000-${String(requests.length).padStart(12, "0")}`;
        const fault = faults.shift();
        const answer = async (): Promise<Response> => respond(recorded, { dependencies, requestId });
        return fault === undefined ? answer() : fault(answer, requestId);
      },
      pacing: {
        now,
        random: () => 0.5,
        async sleep(_durationMs, signal) {
          signal?.throwIfAborted();
          // otherwise, polling a batch that stays pending would keep the program's timers from firing
          await new Promise<void>((resolve) => void startTimer(resolve, 0));
          signal?.throwIfAborted();
        },
      },
    },
    fail(failure) {
      faults.push(async (_answer, requestId) => envelope(failure, requestId));
    },
    respondWith(response) {
      faults.push(async () => response);
    },
    loseResponse() {
      faults.push(async (answer) => {
        await answer();
        throw new TypeError("fetch failed", { cause: new Error("read ECONNRESET") });
      });
    },
    failItem(url, code) {
      itemErrors.set(url, code);
    },
  };
}

async function record(request: Request): Promise<RecordedRequest> {
  const { pathname, searchParams: query } = new URL(request.url);
  const path = pathname.replace(/^\/v1/, "");
  return { method: request.method, path, query, headers: request.headers, body: await request.text() };
}
