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
import { toSnapError } from "@snap/engine/internals";
import packageJson from "../../package.json" with { type: "json" };
import { capturePage, type CaptureDoor } from "../requests/capture-page.ts";
import type { Exchange } from "../requests/exchange.ts";
import { requireMode, requireNone, type Arguments } from "./judge-arguments.ts";
import {
  failureResult,
  isTooLarge,
  pdfResult,
  screenshotResult,
  usageResult,
  type Rendered,
} from "./results.ts";
import { TOOLS, type ToolName } from "./tools.ts";

/** What the tools work with, and for whom. */
export interface ToolDoor extends CaptureDoor {
  readonly principal: Principal;
  readonly exchange: Exchange;
  /** What signed links lead to; ends in `/v1`. */
  readonly baseUrl: string;
  /** Told of a call's work, which goes on when the client has gone. */
  readonly onCall: (work: Promise<unknown>) => void;
}

/** Clients give up after a minute; a render may take three quarters of it. */
const TURN_WAIT_MS = 10_000;
/** Well under the minute after which clients give up on a call that says nothing. */
const PROGRESS_PAUSE_MS = 5000;

type ListedTool = Pick<(typeof TOOLS)[ToolName], "title" | "description" | "annotations"> & {
  readonly inputSchema: StandardSchemaWithJSON<Arguments, Arguments>;
  readonly outputSchema: StandardSchemaWithJSON;
};

type Tool = (args: Arguments, context: ServerContext) => Promise<CallToolResult>;

/**
 * Arguments are judged by the engine alone, like every request: a failure of theirs then has the
 * service's own code and names what is at fault.
 */
const JUDGED_BY_THE_ENGINE: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

/** The tools as they are registered, made once: a server is made for each request. */
const LISTED = {
  "take-screenshot": listed("take-screenshot"),
  "create-pdf": listed("create-pdf"),
  "check-usage": listed("check-usage"),
} as const;

function listed(name: ToolName): ListedTool {
  const { inputSchema, outputSchema, ...shown } = TOOLS[name];
  return {
    ...shown,
    inputSchema: fromJsonSchema<Arguments>(inputSchema, JUDGED_BY_THE_ENGINE),
    outputSchema: fromJsonSchema(outputSchema as JsonSchemaType, JUDGED_BY_THE_ENGINE),
  };
}

/** The server of one request: nothing outlives it. */
export function createMcpServer(door: ToolDoor): McpServer {
  const server = new McpServer(
    { name: "snap", title: "snap", version: packageJson.version },
    {
      capabilities: { tools: { listChanged: false } },
      instructions:
        "Renders web pages. take-screenshot returns the image, or a link if the image is too large; create-pdf returns a link. Links work without a token until they expire. Renders cost credits; check-usage returns how many are left.",
    },
  );
  const add = (name: ToolName, tool: Tool): void => {
    server.registerTool(name, LISTED[name], (args, context) => {
      const answer = answering(door.exchange, name, () => tool(args, context));
      door.onCall(answer);
      return answer;
    });
  };
  add("take-screenshot", (args, context) =>
    render(door, { mode: "screenshot", args, context }).then(screenshotResult),
  );
  add("create-pdf", (args, context) => render(door, { mode: "pdf", args, context }).then(pdfResult));
  add("check-usage", async (args) => {
    requireNone(args);
    return usageResult(await door.engine.usage(door.principal));
  });
  return server;
}

/** A failure is an answer of the tool, which an assistant reads (docs/decisions/model-context-protocol.md). */
async function answering(
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
  door: ToolDoor,
  {
    mode,
    args,
    context,
  }: { readonly mode: Ability; readonly args: Arguments; readonly context: ServerContext },
): Promise<Rendered> {
  const { engine, principal, exchange, baseUrl } = door;
  requireMode(mode, args);
  const parameters = { ...args, ...(mode === "pdf" && { pdf: true }) };
  const linked = mode === "pdf" ? () => true : isTooLarge;
  const asked = { exchange, principal, parameters, linked, maxWaitMs: TURN_WAIT_MS };
  const capture = await reportProgress(context, () => capturePage(door, asked));
  return {
    url: new URL(String(args["url"])).href,
    capture,
    link: () => engine.link({ principal, parameters, capture, baseUrl }),
  };
}

/**
 * Tells a client that asked for it, at once and then every few seconds, that the work goes on; many
 * then wait for as long as it takes.
 */
async function reportProgress<T>({ mcpReq }: ServerContext, work: () => Promise<T>): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  const startedAtMs = performance.now();
  const report = (): void => {
    const progress = Math.round((performance.now() - startedAtMs) / 1000);
    const params = { progressToken, progress, message: "waiting for the page" };
    // A client that has gone needs no report.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
  report();
  const timer = setInterval(report, PROGRESS_PAUSE_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
