/** An escape, a class, the start or the end of a group, a quantifier, or an alternative; other characters do not matter. */
const TOKENS =
  /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|\)|(?:[*+?]|\{\d+(?:,\d*)?\})\??|\|/gs;
const ESCAPE_OR_CLASS = /^[\\[]/;
const UNBOUNDED = /^(?:[*+]|\{\d+,\})/;
const EXACT = /^\{\d+\}/;

/**
 * Whether a valid regular expression repeats, without bound, a group that contains a quantifier or an alternative. Such
 * expressions may take exponential time, as `(a+)+b` and `(a|a)*b` do; those that do not, such as `(?:\w+\/)+`, are rare
 * in lists, and hard to tell apart.
 *
 * @example
 * isCatastrophicExpression("(a+)+b$"); // true
 * isCatastrophicExpression("^https?://[a-z]{8,}\\.(?:com|net)/"); // false
 */
export function isCatastrophicExpression(source: string): boolean {
  /** Whether each open group, the innermost last, contains a quantifier or an alternative. */
  const varies = [false];
  let end = { index: 0, varies: false };
  const vary = (): void => void (varies[varies.length - 1] = true);
  for (const { 0: token, index } of source.matchAll(TOKENS)) {
    if (ESCAPE_OR_CLASS.test(token)) continue;
    if (token.startsWith("(")) varies.push(false);
    else if (token === ")") {
      end = { index, varies: varies.pop() ?? false };
      if (end.varies) vary();
    } else if (token === "|") vary();
    else {
      const repeatsGroup = end.varies && index === end.index + 1;
      if (repeatsGroup && UNBOUNDED.test(token)) return true;
      if (!EXACT.test(token)) vary();
    }
  }
  return false;
}
