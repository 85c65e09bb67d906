/** The parts of a token (interface.md, Token). */
export interface TokenParts {
  readonly tokenId: number;
  readonly secret: string;
}

/**
 * The token in its parts; it is not in the message.
 *
 * @throws TypeError when it doesn't look like one.
 */
export function readToken(token: string): TokenParts {
  const [, id, secret] = /^([1-9]\d{0,14})\|([\x21-\x7e]+)$/.exec(token) ?? [];
  if (id === undefined || secret === undefined)
    throw new TypeError("token must look like <id>|<secret>, in full, without spaces or line ends.");
  return { tokenId: Number(id), secret };
}
