/** Repeats `deleteSome` until it returns 0; returns the sum. */
export async function deleteInChunks(deleteSome: () => Promise<number>): Promise<number> {
  for (let sum = 0; ;) {
    const deleted = await deleteSome();
    if (deleted === 0) return sum;
    sum += deleted;
  }
}
