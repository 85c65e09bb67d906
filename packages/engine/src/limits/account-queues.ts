import PQueue from "p-queue";

/** A queue for each account, so one account cannot hold up another. */
export class AccountQueues {
  readonly #queues = new Map<string, PQueue>();
  readonly #concurrency: number;

  /** @param concurrency - Maximum number of an account's tasks that run concurrently. */
  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  async add<Result>(accountId: string, task: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(accountId) ?? new PQueue({ concurrency: this.#concurrency });
    this.#queues.set(accountId, queue);
    try {
      return await queue.add(task);
    } finally {
      if (queue.size + queue.pending === 0) this.#queues.delete(accountId);
    }
  }
}
