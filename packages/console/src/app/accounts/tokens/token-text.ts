import type { AdminToken, Mode } from "@snap/protocol";

export function abilitiesText(abilities: readonly Mode[]): string {
  if (abilities.length > 1) return "Everything";
  return abilities[0] === "pdf" ? "PDFs" : "Screenshots";
}

/** `token 7, “blog”` */
export function titleOf({ id, name }: AdminToken): string {
  return name === null ? `token ${id}` : `token ${id}, “${name}”`;
}
