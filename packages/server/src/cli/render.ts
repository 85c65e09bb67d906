import {
  isSnapError,
  parseTargetList,
  parseQuery,
  type ListedTarget,
  type SnapParameters,
} from "@snap/engine";
import { imageLibrary, messageOf, requireInstalled } from "@snap/engine/internals";
import type { RenderedFile } from "@snap/engine/ports";
import { InvalidArgumentError, type Command } from "commander";
import { writeFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { Config } from "../config.ts";
import { joinFilterLists } from "../config/filter-lists.ts";
import { loadConfig, withJson } from "./admin.ts";
import { openStdout } from "../open-stdout.ts";
import { printable } from "../operations/printable.ts";
import { targetPolicy } from "../target-policy.ts";
import { EXIT_CODES, UsageError } from "./errors.ts";
import { hasFormatExtension, STDOUT_FILE, withFileFormat } from "./file-format.ts";
import { openLocalPage, type LocalPage } from "./local-page.ts";
import { formatBytes } from "../format.ts";
import { printJson } from "./output.ts";
import { describeProblems, renderOptions, toQueryPairs } from "./render-options.ts";
import { readSecretOptions } from "./secret-options.ts";

interface RenderOptions extends Readonly<Record<string, unknown>> {
  readonly output: string;
  readonly allowTarget?: readonly ListedTarget[];
  readonly json?: true;
}

/** `snap-server render`: renders one page without a server, an account or a data folder. */
export function addRender(program: Command): void {
  const render = withJson(program.command("render"))
    .description("render one page to a file, without a server or an account")
    .argument(
      "<url-or-file>",
      "URL of the page; or the path to an .html, .htm or .md file, or to a folder with an index",
    )
    .requiredOption(
      "-o, --output <file>",
      "file to write: .png, .jpg, .jpeg, .webp, .avif or .pdf; - for stdout",
    )
    .option(
      "--allow-target <list>",
      "private hosts or CIDR blocks to allow, each with an optional :port, like SNAP_ALLOW_TARGETS",
      collectTargets,
    )
    .addHelpText(
      "after",
      `
Examples:
  snap-server render https://example.com -o example.png
  snap-server render https://example.com -o example.webp --full-page --scale 2
  snap-server render https://example.com -o example.pdf --paper-format letter --landscape
  snap-server render http://127.0.0.1:8080/ -o local.png --allow-target 127.0.0.1:8080
  snap-server render https://example.com -o preview.png --basic-auth @password.txt --headers @headers.json
  snap-server render invoice.html -o invoice.pdf
  snap-server render report.md -o report.pdf --paper-format letter
  snap-server render card/ -o card.png --width 1200 --height 630

A file is rendered with the other files in its folder: images, fonts, style sheets. Its scripts can read all of them and send
them to any public host, so put a page that you do not trust into a separate folder. Hidden files and links to files
outside the folder are not served.

Other users of the machine can see a command's arguments. Put secrets into a file, and pass @ and its path to
--headers, --cookies or --basic-auth; @- reads stdin.`,
    )
    .action(renderPage);
  for (const option of renderOptions()) render.addOption(option);
}

async function renderPage(page: string, options: RenderOptions): Promise<void> {
  const file = options.output;
  if (file === STDOUT_FILE && options.json)
    throw new UsageError("--json and -o - both write to stdout", "remove --json, or write to a file");
  const pairs = withFileFormat(file, await readSecretOptions(toQueryPairs(options)));
  const local = await openLocalPage(page);
  const config = loadConfig();
  const parameters = withOptionNames(file, () => {
    const read = parseQuery([["url", local?.url ?? page], ...pairs]);
    requireDependencies(read, config);
    return read;
  });
  const startedMs = performance.now();
  const allowed = options.allowTarget ?? [];
  const rendered = await renderOnce(parameters, { config, allowed, local });
  const durationMs = Math.round(performance.now() - startedMs);
  await write(file, rendered.bytes);
  if (options.json) printJson(document(rendered, { file, durationMs }));
  else process.stderr.write(`${summary(rendered, { file, durationMs })}\n`);
}

/** @throws SnapError for parameters that need something that is not installed or configured. */
function requireDependencies(parameters: SnapParameters, { filterLists }: Config): void {
  const purposes = filterLists.flatMap((list) => list.purposes);
  requireInstalled(parameters, { filterLists: purposes, processesImages: imageLibrary.isAvailable });
}

/** @throws UsageError that names the invalid options. */
function withOptionNames<T>(file: string, validate: () => T): T {
  try {
    return validate();
  } catch (error) {
    if (isSnapError(error) && error.errors !== undefined)
      throw new UsageError(describeProblems(error, { hasExtension: hasFormatExtension(file) }));
    throw error;
  }
}

/** Failures of the browser or the network; their `detail` says why. */
const CODES_WITH_DETAIL: ReadonlySet<string> = new Set(["upstream_error", "target_unreachable"]);

async function renderOnce(
  parameters: SnapParameters,
  {
    config,
    allowed,
    local,
  }: {
    readonly config: Config;
    readonly allowed: readonly ListedTarget[];
    readonly local: LocalPage | null;
  },
): Promise<RenderedFile> {
  const { createRenderer } = await import("../wire.ts");
  const targets = targetPolicy(config, allowed);
  const needsLists = parameters.blockAds || parameters.blockTrackers;
  const filterLists = needsLists ? joinFilterLists(config.filterLists) : {};
  const renderer = await createRenderer(config, { targets, filterLists, warmContexts: 1 });
  const interrupt = (): void => void renderer.close().finally(() => process.exit(EXIT_CODES.interrupted));
  process.once("SIGINT", interrupt);
  try {
    return await renderer.render(parameters, local === null ? {} : { document: local.document });
  } catch (error) {
    if (isSnapError(error) && error.code === "blocked_host")
      error.message += " To allow a private page, pass --allow-target HOST:PORT.";
    // a service would log it
    if (isSnapError(error) && error.detail !== undefined && CODES_WITH_DETAIL.has(error.code))
      error.message += ` (${printable(error.detail)}) \`snap-server doctor\` checks the browser and the network.`;
    throw error;
  } finally {
    process.off("SIGINT", interrupt);
    await renderer.close();
  }
}

async function write(file: string, bytes: Uint8Array): Promise<void> {
  if (file === STDOUT_FILE) return pipeline([bytes], openStdout());
  try {
    await writeFile(file, bytes);
  } catch (error) {
    throw new Error(`cannot write ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

interface Outcome {
  readonly file: string;
  readonly durationMs: number;
}

function document(rendered: RenderedFile, { file, durationMs }: Outcome): unknown {
  return {
    file,
    content_type: rendered.contentType,
    bytes: rendered.bytes.length,
    duration_ms: durationMs,
    target_status: rendered.targetStatus,
    notes: rendered.notes,
  };
}

function summary(rendered: RenderedFile, { file, durationMs }: Outcome): string {
  return [
    file === STDOUT_FILE ? rendered.contentType : file,
    formatBytes(rendered.bytes.length),
    `${(durationMs / 1000).toFixed(2)} s`,
    rendered.targetStatus === null ? "target status unknown" : `target status ${rendered.targetStatus}`,
    ...rendered.notes,
  ].join(", ");
}

function collectTargets(text: string, previous: readonly ListedTarget[] = []): readonly ListedTarget[] {
  try {
    return [...previous, ...parseTargetList(text)];
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}
