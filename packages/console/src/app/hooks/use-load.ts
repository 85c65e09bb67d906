import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { toFailure, type ApiFailure } from "../api/failure.ts";

export interface Loaded<T> {
  /** `null` until the first response. A failed reload does not clear it. */
  readonly data: T | null;
  readonly failure: ApiFailure | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** Aborts a reload in flight, so it does not replace the loaded data. */
  readonly cancelReload: () => void;
}

interface State<T> extends Omit<Loaded<T>, "reload" | "cancelReload"> {
  readonly key: string;
}

/**
 * Loads data when the component mounts and whenever `key` changes.
 *
 * @param key identifies the data; data that was loaded for another key is not returned.
 */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<State<T>>(() => initial(key));
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const inFlight = useRef<AbortController | null>(null);

  useEffect(() => {
    const controller = new AbortController();
    inFlight.current = controller;
    const { signal } = controller;
    const update = (change: (before: State<T>) => State<T>): void => {
      if (!signal.aborted) setState((before) => change(before.key === key ? before : initial(key)));
    };
    update((before) => ({ ...before, isLoading: true }));
    latest.current(signal).then(
      (data) => update(() => ({ key, data, failure: null, isLoading: false })),
      (error: unknown) => update((before) => ({ ...before, failure: toFailure(error), isLoading: false })),
    );
    return () => controller.abort();
  }, [key, round]);

  const reload = useCallback(() => setRound((count) => count + 1), []);
  const cancelReload = useCallback(() => {
    inFlight.current?.abort();
    setState((before) => ({ ...before, isLoading: false }));
  }, []);
  return { ...(state.key === key ? state : initial<T>(key)), reload, cancelReload };
}

function initial<T>(key: string): State<T> {
  return { key, data: null, failure: null, isLoading: true };
}
