import { extname } from "node:path";
import { UsageError } from "./errors.ts";

/** What a file's ending says about its content, as parameters of a rendering. */
const BY_ENDING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ".png": { format: "png" },
  ".jpg": { format: "jpeg" },
  ".jpeg": { format: "jpeg" },
  ".webp": { format: "webp" },
  ".pdf": { pdf: "true" },
};

/** Stands for stdout. */
export const STDOUT_FILE = "-";

/**
 * The parameters completed by what the file is called.
 *
 * @throws UsageError when the name contradicts them, or when neither names a format.
 */
export function withFileFormat(
  file: string,
  parameters: readonly [string, string][],
): readonly [string, string][] {
  const given = new Map(parameters);
  const format = given.get("format");
  const named = given.get("pdf") === "true" ? "pdf" : format;
  if (file === STDOUT_FILE) return parameters;
  const ending = extname(file).toLowerCase();
  const implied = BY_ENDING[ending];
  if (implied === undefined) {
    if (named !== undefined) return parameters;
    throw new UsageError(
      `-o ${file} does not imply a format; use one of ${Object.keys(BY_ENDING).join(", ")}, or pass --format or --pdf`,
    );
  }
  const impliedName = implied["format"] ?? "pdf";
  if (named !== undefined && named !== impliedName)
    throw new UsageError(
      `-o ${file} contradicts ${named === "pdf" ? "--pdf" : `--format ${named}`}; pass only one of them`,
    );
  return named === undefined ? [...parameters, ...Object.entries(implied)] : parameters;
}
