import { dirname, join } from "node:path";
import ts from "typescript";

const LIBRARY_FOLDER = dirname(ts.getDefaultLibFilePath({}));
const libraries = new Map<string, ts.SourceFile | undefined>();

/**
 * Type-checks a program in strict mode. Checks every file in the project, including the
 * declarations of packages in its `node_modules`, unless they are linked.
 *
 * @param project The folder of the project, with its `node_modules`.
 * @param file The program, relative to the project.
 * @returns A line for each error, with its code, file and message.
 */
export function compile(project: string, file: string, options: ts.CompilerOptions): string[] {
  const settings: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
    ...options,
  };
  const program = ts.createProgram([join(project, file)], settings, createHost(settings));
  const checked = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(project));
  return [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...checked.flatMap((source) => program.getSyntacticDiagnostics(source)),
    ...checked.flatMap((source) => program.getSemanticDiagnostics(source)),
  ].map(({ code, file: at, messageText }) => {
    return `TS${code} ${at?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
}

/** Parses the compiler's declarations once for all programs. */
function createHost(settings: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(settings);
  return {
    ...host,
    getSourceFile(name, ...rest) {
      if (!name.startsWith(LIBRARY_FOLDER)) return host.getSourceFile(name, ...rest);
      if (!libraries.has(name)) libraries.set(name, host.getSourceFile(name, ...rest));
      return libraries.get(name);
    },
  };
}
