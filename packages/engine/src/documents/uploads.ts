import PQueue from "p-queue";
import { AccountQueues } from "../limits/account-queues.ts";

/** Maximum number of an account's uploads in memory. The HTTP server limits the total size of all uploads. */
const UPLOAD_CONCURRENCY_PER_ACCOUNT = 2;
/** Maximum number of uploads to unpack at the same time. Each can unpack to 50 MiB. */
const STORE_CONCURRENCY = 4;
/** Converting Markdown can take seconds, and other accounts must not wait for all uploads of one account. */
const STORE_CONCURRENCY_PER_ACCOUNT = 1;

/** Limits how many uploads each account has in memory, and how many are stored at a time; the others wait. */
export class Uploads {
  readonly #byAccount = new AccountQueues(UPLOAD_CONCURRENCY_PER_ACCOUNT);
  readonly #storeQueue = new PQueue({ concurrency: STORE_CONCURRENCY });
  readonly #accountStoreQueues = new AccountQueues(STORE_CONCURRENCY_PER_ACCOUNT);

  /**
   * Waits for its turn among the account's uploads, receives the content, waits for its turn to store among the
   * account's and then among all uploads, and stores it.
   */
  async run<Content, Result>(
    accountId: string,
    {
      receive,
      store,
    }: {
      readonly receive: () => Promise<Content>;
      readonly store: (content: Content) => Promise<Result>;
    },
  ): Promise<Result> {
    return this.#byAccount.add(accountId, async () => {
      const content = await receive();
      return this.#accountStoreQueues.add(accountId, () => this.#storeQueue.add(() => store(content)));
    });
  }
}
