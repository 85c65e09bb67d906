import { useEffect, useRef, useState } from "preact/hooks";
import type { Parameters } from "./form.ts";
import { sendCapture, type Result } from "./send-capture.ts";

export interface Render {
  readonly isRunning: boolean;
  /** Result of the last finished render. */
  readonly result: Result | null;
  readonly run: (parameters: Parameters, token: string) => void;
  readonly cancel: () => void;
}

/** Renders one page at a time. Leaving the screen cancels the render. */
export function useRender(): Render {
  const [result, setResult] = useState<Result | null>(null);
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController | null>(null);
  const cancel = (): void => {
    running.current?.abort();
    running.current = null;
    setRunning(false);
  };
  useEffect(() => () => running.current?.abort(), []);
  const finish = async (sent: Promise<Result>, signal: AbortSignal): Promise<void> => {
    // it rejects only if aborted, and `cancel` or the next `run` has already updated the state
    const finished = await sent.catch(() => null);
    if (finished === null || signal.aborted) return;
    setResult(finished);
    setRunning(false);
  };
  const run = (parameters: Parameters, token: string): void => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setRunning(true);
    setResult(null);
    void finish(sendCapture(parameters, token, controller.signal), controller.signal);
  };
  return { isRunning, result, run, cancel };
}
