/**
 * Returns whether `text` is a valid user agent: 1 to 512 printable ASCII characters, without leading or trailing
 * spaces.
 */
export function isUserAgent(text: string): boolean {
  return /^[\x21-\x7e]([\x20-\x7e]{0,510}[\x21-\x7e])?$/.test(text);
}
