/** PostgreSQL's texts hold no NUL: nothing is stored under a name that has one, and asking for it is an error. */
export function isStorable(name: string): boolean {
  return !name.includes("\0");
}
