import PQueue from "p-queue";
import { AccountQueues } from "./account-queues.ts";

/** Maximum number of one account's uploads in memory, whatever its rate limit allows. */
const RECEIVED_AT_ONCE_PER_ACCOUNT = 2;
/** Maximum number of uploads to unpack at the same time. Each can unpack to 50 MiB. */
const STORED_AT_ONCE = 4;
/** Converting Markdown can take seconds, and others must not wait for all of an account's uploads. */
const STORED_AT_ONCE_PER_ACCOUNT = 1;

/** Limits how many uploads are in memory; the others wait. */
export class Uploads {
  readonly #byAccount = new AccountQueues(RECEIVED_AT_ONCE_PER_ACCOUNT);
  readonly #storing = new PQueue({ concurrency: STORED_AT_ONCE });
  readonly #storingByAccount = new AccountQueues(STORED_AT_ONCE_PER_ACCOUNT);

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
      return this.#storingByAccount.add(accountId, () => this.#storing.add(() => store(content)));
    });
  }
}
