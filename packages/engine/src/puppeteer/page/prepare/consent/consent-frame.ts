import type { CDPSession, Protocol } from "puppeteer";
import { snippetCalls } from "./autoconsent.ts";
import { preparationExpression } from "./in-page.ts";
import { ABOUT_COOKIES, LOADS_A_DIALOG } from "./words.ts";

/** The page's scripts and the other steps cannot access this world. */
const WORLD_NAME = "snap-consent";
/**
 * Whether a frame can show a dialog: it has room for one, and mentions cookies or has a dialog's
 * URL.
 */
const MAY_SHOW_DIALOG = `innerWidth >= 100 && innerHeight >= 40 &&
  (${String(ABOUT_COOKIES)}.test(document.documentElement.textContent.slice(0, 100_000).toLowerCase()) ||
    ${String(LOADS_A_DIALOG)}.test(location.href))`;
/** Autoconsent requests a few functions per operation, several at a time. */
const ROUNDS_MAX = 50;
const SNIPPETS_MAX = 50;
const ID_MAX = 100;
const SNIPPET_TIMEOUT_MS = 500;
const NAMES_MAX = 20;

/** The state of a document's dialogs at one check. */
export interface DialogState {
  /** Whether a consent dialog is open. */
  readonly isOpen: boolean;
  /** Whether one is open, or the search of the document did not run out of time. */
  readonly isComplete: boolean;
  /** Whether a dialog might still open. */
  readonly isExpected: boolean;
  /** The rules whose dialogs are or were open. */
  readonly names: readonly string[];
}

/** A document and its frame's session. */
export interface FrameDocument {
  readonly session: CDPSession;
  readonly frame: Protocol.Page.Frame;
  /** Whether it is the page's document. */
  readonly isMain: boolean;
}

/** A frame's document, whose consent dialogs are handled in an isolated world. */
export class ConsentFrame {
  readonly id: string;
  /** Unique for each document. */
  readonly key: string;
  readonly isMain: boolean;
  readonly #session: CDPSession;
  readonly #url: string;
  readonly #contextId: number;

  private constructor({ session, frame, isMain }: FrameDocument, contextId: number) {
    this.id = frame.id;
    this.key = keyOf(frame);
    this.isMain = isMain;
    this.#session = session;
    this.#url = frame.url;
    this.#contextId = contextId;
  }

  /** Resolves with `null` if the frame cannot show a dialog. */
  static async open(document: FrameDocument): Promise<ConsentFrame | null> {
    const { session, frame, isMain } = document;
    const world = { frameId: frame.id, worldName: WORLD_NAME };
    const { executionContextId } = await session.send("Page.createIsolatedWorld", world);
    const opened = new ConsentFrame(document, executionContextId);
    return isMain || (await opened.#call(MAY_SHOW_DIALOG)) === true ? opened : null;
  }

  /** Must be called once, before the other methods. */
  async prepare(): Promise<void> {
    await this.#call(preparationExpression({ url: this.#url, mainFrame: this.isMain }));
  }

  async detectDialogs(): Promise<DialogState> {
    const { isOpen, isComplete, isExpected, names } = objectOf(await this.#run("detectDialogs"));
    const known = Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
    return {
      isOpen: isOpen === true,
      isComplete: isComplete === true,
      isExpected: isExpected === true,
      names: known.slice(0, NAMES_MAX),
    };
  }

  /** Resolves with whether the open dialog was declined. */
  async decline(): Promise<boolean> {
    return (await this.#run("decline")) === true;
  }

  /**
   * Waits until the dialogs, their covers and running animations are gone, for at most `maxMs` plus
   * the time of the checks. Resolves with whether no dialog is left.
   */
  async waitUntilClosed({
    names,
    maxMs,
  }: {
    readonly names: readonly string[];
    readonly maxMs: number;
  }): Promise<boolean> {
    return (await this.#run("waitUntilClosed", names, maxMs)) === true;
  }

  /** Hides open dialogs; resolves with whether there were any, and whether one is left. */
  async hide(
    names: readonly string[],
  ): Promise<{ readonly isHidden: boolean; readonly isStillOpen: boolean }> {
    const { isHidden, isStillOpen } = objectOf(await this.#run("hide", names));
    return { isHidden: isHidden === true, isStillOpen: isStillOpen !== false };
  }

  /** Hides the floating element around one of this document's frames. Resolves with whether there is one. */
  async hideFrame(frameId: string): Promise<boolean> {
    const session = this.#session;
    const [, { backendNodeId }] = await Promise.all([
      session.send("DOM.enable"),
      session.send("DOM.getFrameOwner", { frameId }),
    ]);
    const { object } = await session.send("DOM.resolveNode", {
      backendNodeId,
      executionContextId: this.#contextId,
    });
    if (object.objectId === undefined) return false;
    const { result } = await session.send("Runtime.callFunctionOn", {
      objectId: object.objectId,
      functionDeclaration: "function () { return consent.hideAround(this); }",
      returnByValue: true,
    });
    await session.send("DOM.disable");
    return result.value === true;
  }

  /** Hides layers that the dialog left behind, and restores focus and the scroll position. */
  async tidy(): Promise<void> {
    await this.#run("tidy");
  }

  async #run(operation: string, ...args: readonly unknown[]): Promise<unknown> {
    let response = objectOf(
      await this.#call(`consent.run(${[operation, ...args].map((each) => JSON.stringify(each)).join(", ")})`),
    );
    for (let round = 0; round < ROUNDS_MAX && Array.isArray(response["asked"]); round += 1) {
      const results = await this.#runSnippets(response["asked"]);
      response = objectOf(await this.#call(`consent.resume(${JSON.stringify(results)})`));
    }
    return response["result"];
  }

  /**
   * Runs the snippets in the page's own world. The page controls it, so they run only in the main frame and with a
   * short timeout.
   */
  async #runSnippets(requests: readonly unknown[]): Promise<readonly { id: string; result: boolean }[]> {
    const snippets = requests.slice(0, SNIPPETS_MAX).map((request) => {
      const { id, snippet } = objectOf(request);
      return { id: String(id).slice(0, ID_MAX), snippet: String(snippet) };
    });
    if (!this.isMain) return snippets.map(({ id }) => ({ id, result: false }));
    const { result } = await this.#session.send("Runtime.evaluate", {
      expression: snippetCalls(snippets.map(({ snippet }) => snippet)),
      returnByValue: true,
      silent: true,
      timeout: SNIPPET_TIMEOUT_MS,
    });
    const values: readonly unknown[] = Array.isArray(result.value) ? result.value : [];
    return snippets.map(({ id }, index) => ({ id, result: values[index] === true }));
  }

  async #call(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.#session.send("Runtime.evaluate", {
      expression,
      contextId: this.#contextId,
      awaitPromise: true,
      returnByValue: true,
      silent: true,
    });
    return exceptionDetails === undefined ? result.value : undefined;
  }
}

/** Returns a unique key for each document. */
export function keyOf({ id, loaderId }: Protocol.Page.Frame): string {
  return `${id} ${loaderId}`;
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
