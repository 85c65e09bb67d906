import { checkParameters, ProblemList } from "@snap/protocol";

/** Returns the problems of the items' parameters, under names such as `items.2.quality`. */
export function checkItems(items: readonly unknown[]): ProblemList {
  const problems = new ProblemList();
  for (const [index, item] of items.entries()) {
    const name = `items.${index}`;
    if (typeof item !== "object" || item === null || Array.isArray(item))
      problems.add(name, "must be an object with the parameters of a capture");
    else problems.addAll(checkParameters(item)?.errors, `${name}.`);
  }
  return problems;
}
