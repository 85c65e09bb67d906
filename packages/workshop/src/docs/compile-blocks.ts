import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "../repository/workspace.ts";
import { readFences, type Page } from "./markdown.ts";

/** A piece of code that stands in a text. */
export interface Snippet {
  /** The file that it stands in, below the root. */
  readonly path: string;
  /** Line of that file that the first line of `code` stands on, from 1. */
  readonly line: number;
  readonly code: string;
  readonly language: "ts" | "js";
}

/** Snippets are resolved as if they lay here, where what a reader would have installed is. */
const FOLDER = join(ROOT, "packages/workshop/guides");
/** What every guide may take as given. */
const CONTEXT = join(FOLDER, "context.d.ts");

/** The `ts` and `js` blocks of a page, except those that say why they can't be compiled. */
export function readCodeBlocks(page: Page): Snippet[] {
  return readFences(page).flatMap(({ language, text, line, exemption }) =>
    (language === "ts" || language === "js") && exemption?.from !== "compiled"
      ? [{ path: page.path, line: line + 1, code: text, language }]
      : [],
  );
}

/**
 * Compiles every snippet as a module of its own, strictly, against the sources of this workspace.
 *
 * @returns A line for each error, with the place in the text.
 */
export function compileSnippets(snippets: readonly Snippet[]): string[] {
  const virtual = new Map(
    snippets.map((snippet, index) => [join(FOLDER, `snippet-${index}.${snippet.language}`), snippet]),
  );
  const options = readOptions();
  const program = ts.createProgram([CONTEXT, ...virtual.keys()], options, createHost(options, virtual));
  const roots = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName === CONTEXT || virtual.has(fileName));
  return [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...roots.flatMap((file) => program.getSyntacticDiagnostics(file)),
    ...roots.flatMap((file) => program.getSemanticDiagnostics(file)),
  ].map((diagnostic) => describe(diagnostic, virtual));
}

/** The repository's own settings; what a reader leaves unused is no fault of a snippet. */
function readOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, "tsconfig.base.json"), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, ROOT);
  return {
    ...options,
    allowJs: true,
    checkJs: true,
    isolatedModules: false,
    moduleDetection: ts.ModuleDetectionKind.Force,
    noUnusedLocals: false,
    noUnusedParameters: false,
    typeRoots: [join(ROOT, "node_modules/@types")],
    verbatimModuleSyntax: false,
  };
}

function createHost(options: ts.CompilerOptions, virtual: ReadonlyMap<string, Snippet>): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    fileExists: (name) => virtual.has(name) || host.fileExists(name),
    readFile: (name) => virtual.get(name)?.code ?? host.readFile(name),
    getSourceFile(name, version, ...rest) {
      const snippet = virtual.get(name);
      if (snippet === undefined) return host.getSourceFile(name, version, ...rest);
      return ts.createSourceFile(name, snippet.code, version);
    },
  };
}

function describe(
  { file, start, messageText }: ts.Diagnostic,
  virtual: ReadonlyMap<string, Snippet>,
): string {
  const message = ts.flattenDiagnosticMessageText(messageText, " ");
  if (file === undefined) return message;
  const { line } = file.getLineAndCharacterOfPosition(start ?? 0);
  const snippet = virtual.get(file.fileName);
  return snippet === undefined
    ? `${file.fileName}:${line + 1}: ${message}`
    : `${snippet.path}:${snippet.line + line}: ${message}`;
}
