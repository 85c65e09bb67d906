/** An escape, a character class, the start or end of a group, a quantifier or `|`. Other characters do not matter. */
const TOKENS =
  /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|\)|(?:[*+?]|\{\d+(?:,\d*)?\})\??|\|/gs;
const ESCAPE_OR_CLASS = /^[\\[]/;
const UNBOUNDED = /^(?:[*+]|\{\d+,\})/;
const EXACT = /^\{\d+\}/;

/**
 * Returns whether a valid regular expression has an unbounded quantifier on a group that contains an
 * alternation or a quantifier other than `{n}`. Many such expressions can take exponential time, such as
 * `(a+)+b` and `(a|a)*b`. Also returns true for harmless ones, such as `(?:\w+\/)+`: they are rare in
 * filter lists and hard to distinguish.
 *
 * @example
 * isCatastrophicExpression("(a+)+b$"); // true
 * isCatastrophicExpression("^https?://[a-z]{8,}\\.(?:com|net)/"); // false
 */
export function isCatastrophicExpression(source: string): boolean {
  /** Whether the expression and each open group, innermost last, contain `|` or a quantifier other than `{n}`. */
  const openGroups = [false];
  let lastGroup = { endIndex: 0, isVariable: false };
  const markVariable = (): void => void (openGroups[openGroups.length - 1] = true);
  for (const { 0: token, index } of source.matchAll(TOKENS)) {
    if (ESCAPE_OR_CLASS.test(token)) continue;
    if (token.startsWith("(")) openGroups.push(false);
    else if (token === ")") {
      lastGroup = { endIndex: index, isVariable: openGroups.pop() ?? false };
      if (lastGroup.isVariable) markVariable();
    } else if (token === "|") markVariable();
    else {
      const repeatsGroup = lastGroup.isVariable && index === lastGroup.endIndex + 1;
      if (repeatsGroup && UNBOUNDED.test(token)) return true;
      if (!EXACT.test(token)) markVariable();
    }
  }
  return false;
}
