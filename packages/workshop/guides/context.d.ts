/*
 * Names that the code blocks of guides, READMEs and doc comments may use without an import. A block that
 * declares one of them shadows it.
 */
import type { RenderBatch, SnapClient } from "@snap/client";
import type { Engine, Principal, Renderer, Resolver, Storage, TargetPolicy } from "@snap/engine";
import type { Express } from "express";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

declare global {
  /** Your application, and its handler for finished batches. */
  const app: Express;
  const save: (batch: RenderBatch) => void | Promise<void>;

  const snap: SnapClient;
  const batch: RenderBatch;
  const token: string;
  const signingSecret: string;

  const engine: Engine;
  const storage: Storage;
  const renderer: Renderer;
  const resolver: Resolver;
  const policy: TargetPolicy;
  const principal: Principal;
  /** At least 16 characters. */
  const secretKey: string;
  /** A storage that you wrote. */
  const openMyStorage: (options: { readonly cacheMaxBytes?: number | undefined }) => Promise<Storage>;

  const request: IncomingMessage;
  const response: ServerResponse;
  const socket: Socket;
}
