import {
  fromJsonSchema,
  McpServer,
  type CallToolResult,
  type JsonSchemaType,
  type jsonSchemaValidator,
  type JsonSchemaValidator,
  type ServerContext,
  type StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import type { Ability, Principal } from "@snap/engine";
import {
  identifyContent,
  isLinkable,
  requireVerifiedEmail,
  separateContent,
  toSnapError,
  type FindPreview,
} from "@snap/engine/internals";
import packageJson from "../../package.json" with { type: "json" };
import { capturePage, type CaptureDependencies } from "../requests/capture-page.ts";
import type { Exchange } from "../requests/exchange.ts";
import { requireMode, requireNoArguments, type Arguments } from "./check-arguments.ts";
import {
  failureResult,
  INLINE_LIMITS,
  needsPreview,
  pdfResult,
  requireInlineable,
  requireInlineableFormat,
  requireInlineableUncached,
  screenshotResult,
  usageResult,
  type Rendered,
} from "./results.ts";
import { TOOLS, type ToolName } from "./tools.ts";

/** Dependencies of the tools, and the caller. */
export interface ToolDependencies extends CaptureDependencies {
  readonly principal: Principal;
  readonly exchange: Exchange;
  /** Base of signed URLs; ends in `/v1`. */
  readonly baseUrl: string;
  readonly findPreview: FindPreview;
  /** Called with the result of a call, which continues if the client disconnects. */
  readonly onCall: (work: Promise<unknown>) => void;
}

/** Clients give up after a minute, and a render can take 45 s of that. */
const MAX_SLOT_WAIT_MS = 10_000;
/** Well below the minute after which clients give up on a silent call. */
const PROGRESS_INTERVAL_MS = 5000;

/** The largest file, in base64. */
const RESULT_MAX_BYTES = Math.ceil((INLINE_LIMITS.maxBytes * 4) / 3);

type RegisteredTool = Pick<(typeof TOOLS)[ToolName], "title" | "description" | "annotations"> & {
  readonly inputSchema: StandardSchemaWithJSON<Arguments, Arguments>;
  readonly outputSchema: StandardSchemaWithJSON;
};

type ToolHandler = (args: Arguments, context: ServerContext) => Promise<CallToolResult>;

/**
 * Accepts everything: the engine validates arguments, as for every entry point, and its errors have a code and name
 * the parameter.
 */
const NO_OP_VALIDATOR: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

/** Built once, because each request creates a server. */
const REGISTERED_TOOLS = {
  "take-screenshot": toRegisteredTool("take-screenshot"),
  "create-pdf": toRegisteredTool("create-pdf"),
  "check-usage": toRegisteredTool("check-usage"),
} as const;

function toRegisteredTool(name: ToolName): RegisteredTool {
  const { inputSchema, outputSchema, ...annotated } = TOOLS[name];
  return {
    ...annotated,
    inputSchema: fromJsonSchema<Arguments>(inputSchema, NO_OP_VALIDATOR),
    outputSchema: fromJsonSchema(outputSchema as JsonSchemaType, NO_OP_VALIDATOR),
  };
}

/** Creates the server for one request. It keeps no state between requests. */
export function createMcpServer(dependencies: ToolDependencies): McpServer {
  const server = new McpServer(
    { name: "snap", title: "snap", version: packageJson.version },
    {
      capabilities: { tools: { listChanged: false } },
      instructions:
        "Renders web pages. take-screenshot returns the image, or a preview and a link if the image is too large; create-pdf returns a link. Links work without a token until they expire. Renders cost credits; check-usage returns how many are left.",
    },
  );
  const add = (name: ToolName, handler: ToolHandler): void => {
    server.registerTool(name, REGISTERED_TOOLS[name], (args, context) => {
      const result = catchErrors(dependencies.exchange, name, () => handler(args, context));
      dependencies.onCall(result);
      return result;
    });
  };
  add("take-screenshot", (args, context) =>
    reportProgress(context, async () => {
      const rendered = await render(dependencies, { mode: "screenshot", args });
      const { rendering } = rendered.capture;
      const accountId = dependencies.principal.account.id;
      const preview = needsPreview(rendering)
        ? await dependencies.findPreview({ accountId, ...rendering })
        : null;
      return screenshotResult({ ...rendered, preview });
    }),
  );
  add("create-pdf", (args, context) =>
    reportProgress(context, async () => pdfResult(await render(dependencies, { mode: "pdf", args }))),
  );
  add("check-usage", async (args) => {
    requireNoArguments(args);
    return usageResult(await dependencies.engine.usage(dependencies.principal));
  });
  return server;
}

/** Converts an error to a tool result, which the assistant can read, unlike a protocol error. */
async function catchErrors(
  exchange: Exchange,
  tool: ToolName,
  work: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  exchange.tool = tool;
  try {
    return await work();
  } catch (thrown) {
    const error = toSnapError(thrown);
    exchange.code = error.code;
    exchange.error = error;
    return failureResult(error, exchange.requestId);
  }
}

async function render(
  dependencies: ToolDependencies,
  { mode, args }: { readonly mode: Ability; readonly args: Arguments },
): Promise<Rendered> {
  const { engine, principal, exchange, baseUrl, sendBudget } = dependencies;
  requireVerifiedEmail(principal.account);
  requireMode(mode, args);
  exchange.releaseMemory = sendBudget.take(principal.account.id, RESULT_MAX_BYTES);
  const { parameters: options, document } = separateContent(mode === "pdf" ? { ...args, pdf: true } : args);
  // a link contains the URL that identifies the content, and finds the cached rendering by it
  const parameters = document ? { ...options, url: (await identifyContent(document)).url } : options;
  const isLinked = isLinkable(parameters);
  if (!isLinked) requireInlineableFormat(parameters["output"]);
  const delivery = isLinked
    ? { linked: mode === "pdf" ? () => true : needsPreview, acceptUncached: requireInlineableUncached }
    : { accept: requireInlineable };
  const page = document ? { parameters: options, document } : { parameters };
  const caller = { exchange, principal, entryPoint: "mcp" } as const;
  const request = { ...caller, ...page, ...delivery, maxWaitMs: MAX_SLOT_WAIT_MS };
  const capture = await capturePage(dependencies, request);
  return {
    url: new URL(String(parameters["url"])).href,
    capture,
    link: isLinked ? () => engine.link({ principal, parameters, capture, baseUrl }) : null,
  };
}

/**
 * Reports progress immediately and then every few seconds, if the client requested it. Many clients extend their timeout
 * on progress.
 */
async function reportProgress<T>({ mcpReq }: ServerContext, work: () => Promise<T>): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  const startedAtMs = performance.now();
  const report = (): void => {
    const progress = Math.round((performance.now() - startedAtMs) / 1000);
    const params = { progressToken, progress, message: "waiting for the page" };
    // Fails if the client has disconnected.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
  report();
  const timer = setInterval(report, PROGRESS_INTERVAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
