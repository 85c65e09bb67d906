/** Message of a thrown value, which may be anything. */
export function messageOf(error: unknown): string {
  // Node.js reports a name whose addresses all refuse a connection with one error for each, and no message
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
