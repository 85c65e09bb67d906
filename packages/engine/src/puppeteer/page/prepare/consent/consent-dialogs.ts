import { ProtocolError, type CDPSession, type Protocol } from "puppeteer";
import { abortable, sleep, withTimeout } from "../../../../timeouts.ts";
import type { Tab } from "../../tab.ts";
import { ConsentFrame, keyOf, type FrameDocument } from "./consent-frame.ts";

/** How long a dialog may take to open on a page that seems to load one. */
const OPEN_MAX_MS = 1_500;
const POLL_INTERVAL_MS = 100;
/** A frame that is busy for longer is treated as if it had no dialog. */
const BUSY_MAX_MS = 800;
/** How long a dialog's closing animation may take. */
const CLOSE_MAX_MS = 700;
/** Maximum number of dialogs to decline one after another, and of tries to hide the rest. */
const ROUNDS_MAX = 3;
const FRAMES_MAX = 50;
const FRAMES_WITH_DIALOG_MAX = 10;

/** A page's consent dialogs, in all of its frames. */
export class ConsentDialogs {
  readonly #tab: Tab;
  readonly #firstDocumentId: string;
  /** The frames that can show a dialog, by frame and document. */
  #frames: ReadonlyMap<string, ConsentFrame> = new Map();
  /** The frames in which a dialog was open at the last check. */
  #open: readonly ConsentFrame[] = [];
  /** The autoconsent rules whose dialogs were open. */
  readonly #names = new Set<string>();
  /** Whether the page was searched for dialogs in time. */
  isChecked = false;
  isFound = false;
  isDeclined = false;
  isHidden = false;
  /** Whether a dialog is open, or may be. */
  isOpen = false;

  constructor(tab: Tab) {
    this.#tab = tab;
    this.#firstDocumentId = tab.progress.documentId;
  }

  /** Declines up to three dialogs, until none is open, or one cannot be declined. */
  async decline(signal: AbortSignal): Promise<void> {
    for (let round = 0; ; round += 1) {
      const { open, isComplete } = await this.#findOpen(round === 0 ? OPEN_MAX_MS : 0, signal);
      this.#open = open;
      this.isChecked ||= isComplete;
      const [frame] = this.#open;
      if (frame === undefined) return;
      this.isFound = true;
      this.isOpen = true;
      if (round === ROUNDS_MAX || !(await this.#declineIn(frame, signal))) return;
      this.isDeclined = true;
      this.isOpen = false;
    }
  }

  /** Hides open dialogs, and those that open a moment later. */
  async hide(signal: AbortSignal): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      if (round > 0) await sleep(signal, POLL_INTERVAL_MS);
      await this.#prepareFrames(signal);
      const main = this.#main();
      if (main === undefined) return;
      const otherwise = { isHidden: false, isStillOpen: true };
      let { isHidden, isStillOpen } = await orElse(signal, { work: main.hide([...this.#names]), otherwise });
      this.isChecked ||= this.#frames.size === 1; // only the page's own document was searched
      for (const frame of this.#open.filter((each) => !each.isMain)) {
        if (await orElse(signal, { work: main.hideFrame(frame.id), otherwise: false })) isHidden = true;
        else isStillOpen = true;
      }
      this.#open = [];
      this.isFound ||= isHidden;
      this.isHidden ||= isHidden;
      this.isOpen = isStillOpen || isHidden;
      if (!isHidden) return;
    }
  }

  /** Restores what the dialogs changed. */
  async tidy(signal: AbortSignal): Promise<void> {
    await this.#prepareFrames(signal);
    const main = this.#main();
    if (main) await orElse(signal, { work: main.tidy(), otherwise: undefined });
  }

  /** Resolves with the frames in which a dialog is open; waits for one if the page seems to load one. */
  async #findOpen(
    openMaxMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly open: readonly ConsentFrame[]; readonly isComplete: boolean }> {
    const { progress } = this.#tab;
    const endsAtMs = performance.now() + openMaxMs;
    for (;;) {
      const { documentId } = progress;
      const frames = await this.#prepareFrames(signal);
      const states = await Promise.all(
        frames.map((frame) => this.#unlessBusy(frame.isMain, { work: frame.detectDialogs(), signal })),
      );
      for (const state of states) for (const name of state?.names ?? []) this.#names.add(name);
      const open = frames.filter((_frame, i) => states[i]?.isOpen);
      // a busy frame counts as one without a dialog; without the main frame's state, its document was replaced
      const isReplaced = !states.some((state, i) => state !== null && frames[i]?.isMain);
      const isComplete = states.every((state) => state?.isComplete ?? true);
      if (open.length > 0) return { open, isComplete: true };
      const isExpected = states.some((state) => state?.isExpected) && performance.now() < endsAtMs;
      const isSettled = (!isReplaced && progress.documentId === documentId) || progress.failedUrl !== null;
      if (isSettled && !isExpected) return { open, isComplete };
      await sleep(signal, POLL_INTERVAL_MS);
    }
  }

  /** Resolves with whether the dialog was declined and has closed. */
  async #declineIn(frame: ConsentFrame, signal: AbortSignal): Promise<boolean> {
    // a frame that closes, or a page that reloads, cannot report that the dialog was declined
    if (!(await orElse(signal, { work: frame.decline(), otherwise: true }))) return false;
    const names = [...this.#names];
    const affected = (await this.#prepareFrames(signal)).filter((each) => each === frame || each.isMain);
    const closed = await Promise.all(
      affected.map((each) =>
        orElse(signal, { work: each.waitUntilClosed({ names, maxMs: CLOSE_MAX_MS }), otherwise: true }),
      ),
    );
    return closed.every(Boolean);
  }

  #main(): ConsentFrame | undefined {
    return [...this.#frames.values()].find(({ isMain }) => isMain);
  }

  /**
   * Prepares the documents that can show a dialog, once the page's own document is parsed or, if it has replaced the
   * first one, loaded.
   */
  async #prepareFrames(signal: AbortSignal): Promise<readonly ConsentFrame[]> {
    const { progress, processes, session: mainSession, mainFrameId } = this.#tab;
    const isLoaded = (): boolean => {
      const event = progress.documentId === this.#firstDocumentId ? "domcontentloaded" : "load";
      return progress.failedUrl !== null || progress.hasReached(event) || !progress.followsNavigations;
    };
    await progress.waitUntil(signal, isLoaded);
    const documents = await Promise.all(
      processes
        .sessions()
        .map((session) =>
          this.#unlessBusy(session === mainSession, { work: documentsOf(session, mainFrameId), signal }),
        ),
    );
    const all = documents.flatMap((each) => each ?? []).slice(0, FRAMES_MAX);
    const frames = await Promise.all(
      all.map(async (document): Promise<ConsentFrame | null> => {
        const known = this.#frames.get(keyOf(document.frame));
        return known ?? this.#unlessBusy(document.isMain, { work: ConsentFrame.open(document), signal });
      }),
    );
    const opened = frames.filter((each) => each !== null).slice(0, FRAMES_WITH_DIALOG_MAX);
    const isNew = (frame: ConsentFrame): boolean => !this.#frames.has(frame.key);
    await Promise.all(
      opened.filter(isNew).map((frame) => this.#unlessBusy(frame.isMain, { work: frame.prepare(), signal })),
    );
    this.#frames = new Map(opened.map((frame) => [frame.key, frame]));
    return opened;
  }

  /** Resolves with `null` if a frame has closed or, except for the main frame, is busy. */
  async #unlessBusy<T>(
    isMain: boolean,
    { work, signal }: { readonly work: Promise<T>; readonly signal: AbortSignal },
  ): Promise<T | null> {
    if (isMain) return orElse(signal, { work, otherwise: null });
    const reason = (): Error => new ProtocolError("the frame is busy");
    return withTimeout({ signal, durationMs: BUSY_MAX_MS, reason }, (stepSignal) =>
      abortable(stepSignal, work),
    ).catch(unlessProtocolError(signal, null));
  }
}

/** Resolves with a session's documents. */
async function documentsOf(session: CDPSession, mainFrameId: string): Promise<readonly FrameDocument[]> {
  const { frameTree } = await session.send("Page.getFrameTree");
  const documents: FrameDocument[] = [];
  const add = ({ frame, childFrames = [] }: Protocol.Page.FrameTree): void => {
    documents.push({ session, frame, isMain: frame.id === mainFrameId });
    for (const child of childFrames) add(child);
  };
  add(frameTree);
  return documents;
}

/** Resolves with `otherwise` if the frame has closed or its document was replaced. */
async function orElse<T>(
  signal: AbortSignal,
  { work, otherwise }: { readonly work: Promise<T>; readonly otherwise: T },
): Promise<T> {
  return abortable(signal, work).catch(unlessProtocolError(signal, otherwise));
}

function unlessProtocolError<T>(signal: AbortSignal, otherwise: T): (error: unknown) => T {
  return (error) => {
    signal.throwIfAborted();
    if (error instanceof ProtocolError) return otherwise;
    throw error;
  };
}
