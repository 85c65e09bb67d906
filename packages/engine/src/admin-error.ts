/** A fault in what the operator asked for; the message says what would do. */
export class AdminError extends Error {
  override readonly name = "AdminError";
}
