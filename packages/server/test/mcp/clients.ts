import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished } from "vitest";

const INFO = { name: "test", version: "1" };

/** A tool result, with the fields that every revision has. */
export interface Result {
  readonly content: readonly Record<string, unknown>[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

/** A session of one of the official clients. */
export interface Session {
  readonly listTools: () => Promise<readonly Record<string, unknown>[]>;
  readonly call: (
    name: string,
    args?: Record<string, unknown>,
    onprogress?: (progress: { progress: number }) => void,
  ) => Promise<Result>;
}

/** The service's origin and the client's token. */
export interface Access {
  readonly origin: string;
  readonly token: string;
}

/** The clients, by package and protocol revision. */
export const CLIENTS = {
  "the older client": openOlder,
  "the newer client, older revision": (access: Access) => openNewer(access, "legacy"),
  "the newer client, newer revision": (access: Access) => openNewer(access, { pin: "2026-07-28" }),
  "the newer client, negotiated revision": (access: Access) => openNewer(access, "auto"),
} as const;

function requestInit({ token }: Access): RequestInit {
  return { headers: { Authorization: `Bearer ${token}` } };
}

async function openNewer(
  access: Access,
  mode: "auto" | "legacy" | { readonly pin: string },
): Promise<Session> {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", access.origin), {
    requestInit: requestInit(access),
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args, onprogress) =>
      (await client.callTool(
        { name, ...(args && { arguments: args }) },
        onprogress && { onprogress },
      )) as Result,
  };
}

async function openOlder(access: Access): Promise<Session> {
  const client = new OlderClient(INFO);
  const transport = new OlderTransport(new URL("/mcp", access.origin), { requestInit: requestInit(access) });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args, onprogress) =>
      (await client.callTool({ name, arguments: args }, undefined, onprogress && { onprogress })) as Result,
  };
}
