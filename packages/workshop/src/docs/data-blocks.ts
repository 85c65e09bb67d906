import { parseDocument } from "yaml";
import { readFences, type Page } from "./markdown.ts";

/** `json` and `yaml` blocks that don't parse. */
export function findBrokenData(page: Page): string[] {
  return readFences(page).flatMap(({ language, text, line, exemption }) => {
    const parse = PARSERS[language];
    if (parse === undefined || exemption?.from === "compiled") return [];
    const message = parse(text);
    return message === null ? [] : [`${page.path}:${line}: the ${language} block does not parse: ${message}`];
  });
}

const PARSERS: Readonly<Record<string, (text: string) => string | null>> = {
  json(text) {
    try {
      JSON.parse(text);
      return null;
    } catch (error) {
      return String(error);
    }
  },
  yaml: (text) => parseDocument(text).errors[0]?.message ?? null,
};
