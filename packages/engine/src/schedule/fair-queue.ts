import type { QueueAddOptions } from "p-queue";

/** Interactive renders go before batch renders, always. */
export type Urgency = "interactive" | "batch";

/** Whose turn it is: what a waiting job is queued under. */
export interface Turn {
  readonly accountId: string;
  readonly urgency: Urgency;
}

type Job = () => Promise<unknown>;
type Waiting = { readonly id: string; readonly job: Job };
export type FairQueueOptions = QueueAddOptions & Partial<Turn>;

/**
 * The queue behind p-queue: accounts take turns (round robin), so that one with many waiting renders
 * delays another by one render at the most; within an account first come, first served. An account
 * that runs as many as it may is passed over until one of them has ended.
 */
export class FairQueue {
  readonly #maxRunningPerAccount: number;
  readonly #running = new Map<string, number>();
  readonly #lines: Record<Urgency, Map<string, Waiting[]>> = { interactive: new Map(), batch: new Map() };
  #waiting = 0;

  constructor(maxRunningPerAccount: number) {
    this.#maxRunningPerAccount = maxRunningPerAccount;
  }

  /** How many could run now: those of accounts at their bound don't count. */
  get size(): number {
    let size = 0;
    for (const lines of Object.values(this.#lines))
      for (const [accountId, line] of lines) if (this.#mayRun(accountId)) size += line.length;
    return size;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get running(): number {
    return [...this.#running.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Told when a job of the account begins. */
  begin(accountId: string): void {
    this.#running.set(accountId, (this.#running.get(accountId) ?? 0) + 1);
  }

  /** Told when a job of the account has ended. */
  end(accountId: string): void {
    const left = (this.#running.get(accountId) ?? 0) - 1;
    if (left > 0) this.#running.set(accountId, left);
    else this.#running.delete(accountId);
  }

  #mayRun(accountId: string): boolean {
    return (this.#running.get(accountId) ?? 0) < this.#maxRunningPerAccount;
  }

  waitingOf(accountId: string): number {
    return Object.values(this.#lines).reduce((sum, lines) => sum + (lines.get(accountId)?.length ?? 0), 0);
  }

  enqueue(job: Job, { accountId = "", urgency = "interactive", id = "" }: FairQueueOptions = {}): void {
    const lines = this.#lines[urgency];
    const line = lines.get(accountId);
    if (line === undefined) lines.set(accountId, [{ id, job }]);
    else line.push({ id, job });
    this.#waiting += 1;
  }

  dequeue(): Job | undefined {
    for (const lines of Object.values(this.#lines)) {
      for (const [accountId, line] of lines) {
        if (!this.#mayRun(accountId)) continue;
        const next = line.shift();
        // The account goes to the back of the round, if it has more.
        lines.delete(accountId);
        if (line.length > 0) lines.set(accountId, line);
        if (next === undefined) continue;
        this.#waiting -= 1;
        return next.job;
      }
    }
    return undefined;
  }

  remove(id: string): void {
    for (const lines of Object.values(this.#lines)) {
      for (const [accountId, line] of lines) {
        const index = line.findIndex((waiting) => waiting.id === id);
        if (index === -1) continue;
        line.splice(index, 1);
        if (line.length === 0) lines.delete(accountId);
        this.#waiting -= 1;
        return;
      }
    }
  }

  filter({ urgency = "interactive" }: FairQueueOptions): Job[] {
    return [...this.#lines[urgency].values()].flat().map((waiting) => waiting.job);
  }

  /** Turns decide here, not priorities; p-queue asks for the method all the same. */
  setPriority(): void {}
}
