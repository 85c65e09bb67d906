/** Counts a page's requests that its parameters blocked. */
export class BlockedRequests {
  #count = 0;

  add(): void {
    this.#count += 1;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Notes for the caller; none if nothing was blocked. */
  notes(): readonly string[] {
    return this.isEmpty ? [] : [`blocked=${this.#count}`];
  }
}
