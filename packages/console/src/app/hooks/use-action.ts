import { useEffect, useRef, useState } from "preact/hooks";
import { toFailure, type ApiFailure } from "../api/failure.ts";

export interface Action<Input> {
  readonly run: (input: Input) => void;
  readonly isRunning: boolean;
  /** Failure of the last run. */
  readonly failure: ApiFailure | null;
}

/**
 * Runs one change at a time and exposes its failure.
 *
 * @param onDone Called after a successful change if the component is still mounted, for example to
 * leave its screen.
 */
export function useAction<Input = void, Output = void>(
  change: (input: Input) => Promise<Output>,
  onDone?: (output: Output) => void,
): Action<Input> {
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const [isRunning, setRunning] = useState(false);
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);

  const run = async (input: Input): Promise<void> => {
    setRunning(true);
    setFailure(null);
    try {
      const output = await change(input);
      if (isMounted.current) onDone?.(output);
    } catch (error) {
      if (isMounted.current) setFailure(toFailure(error));
    } finally {
      if (isMounted.current) setRunning(false);
    }
  };
  return { run: (input) => void (isRunning || run(input)), isRunning, failure };
}
