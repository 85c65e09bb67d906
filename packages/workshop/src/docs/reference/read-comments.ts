import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "../../repository/workspace.ts";

/**
 * What the doc comments of an object's members say, by member. Comments are kept where the values are,
 * and weigh nothing in what is built.
 *
 * @throws Error when there is no such object, or a member of it has no comment.
 */
export function readComments({
  path,
  name,
}: {
  readonly path: string;
  readonly name: string;
}): ReadonlyMap<string, string> {
  const text = readFileSync(join(ROOT, path), "utf8");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const comments = new Map<string, string>();
  const look = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === name) {
      for (const member of membersOf(node.initializer))
        comments.set(member.name?.getText() ?? "", commentOf(member, path));
    }
    ts.forEachChild(node, look);
  };
  look(source);
  if (comments.size === 0) throw new Error(`${path} has no object ${name}`);
  return comments;
}

function membersOf(node: ts.Expression | undefined): readonly ts.ObjectLiteralElementLike[] {
  if (node === undefined) return [];
  if (ts.isObjectLiteralExpression(node)) return node.properties;
  return ts.isAsExpression(node) || ts.isSatisfiesExpression(node) ? membersOf(node.expression) : [];
}

function commentOf(member: ts.ObjectLiteralElementLike, path: string): string {
  const comments = ts.getJSDocCommentsAndTags(member).filter((each) => ts.isJSDoc(each));
  const text = ts.getTextOfJSDocComment(comments.at(-1)?.comment);
  if (text === undefined || text === "")
    throw new Error(`${path}: ${member.name?.getText()} needs a doc comment: the reference is made from it`);
  return text.replaceAll(/\s*\n\s*/g, " ");
}
