import { join } from "node:path";
import { readManifest, ROOT } from "../workspace.ts";

const VERSION = /[\d.]+(<!-- (\S*node_modules\/\S+) -->)/g;

/**
 * Returns a page with updated versions. A comment after each version names the folder of the
 * installed package that it belongs to.
 */
export function withVersions(page: string): string {
  if (page.search(VERSION) === -1) throw new Error("the page has no versions of packages");
  return page.replaceAll(VERSION, (_, comment: string, folder: string) => {
    return `${readManifest(join(ROOT, folder)).version}${comment}`;
  });
}
