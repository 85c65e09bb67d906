import { extname } from "node:path";
import { UsageError } from "./errors.ts";

/** Parameters implied by a file extension. */
const BY_EXTENSION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ".png": { format: "png" },
  ".jpg": { format: "jpeg" },
  ".jpeg": { format: "jpeg" },
  ".webp": { format: "webp" },
  ".avif": { output: "avif" },
  ".pdf": { pdf: "true" },
};

/** Means stdout. */
export const STDOUT_FILE = "-";

/** Whether the extension of the file determines the format. */
export function hasFormatExtension(file: string): boolean {
  return extname(file).toLowerCase() in BY_EXTENSION;
}

/**
 * Adds the parameters that the extension of the file implies.
 *
 * @throws UsageError if the extension contradicts the parameters, or if neither determines the format.
 */
export function withFileFormat(
  file: string,
  parameters: readonly [string, string][],
): readonly [string, string][] {
  const sent = new Map(parameters);
  const requestedFormat = sent.get("pdf") === "true" ? "pdf" : (sent.get("output") ?? sent.get("format"));
  if (file === STDOUT_FILE) return parameters;
  const extension = extname(file).toLowerCase();
  const implied = BY_EXTENSION[extension];
  if (implied === undefined) {
    if (requestedFormat !== undefined) return parameters;
    throw new UsageError(
      `-o ${file} does not imply a format`,
      `use one of ${Object.keys(BY_EXTENSION).join(", ")}, or pass --format, --output-format or --pdf`,
    );
  }
  const impliedFormat = implied["output"] ?? implied["format"] ?? "pdf";
  if (requestedFormat !== undefined && requestedFormat !== impliedFormat)
    throw new UsageError(
      `-o ${file} contradicts ${optionFor(requestedFormat)}`,
      "remove that option, or change the file's extension",
    );
  return requestedFormat === undefined ? [...parameters, ...Object.entries(implied)] : parameters;
}

function optionFor(format: string): string {
  if (format === "pdf") return "--pdf";
  return format === "avif" ? "--output-format avif" : `--format ${format}`;
}
