import type { AdminList } from "@snap/protocol";
import { useState } from "preact/hooks";
import { toFailure, type ApiFailure } from "../api/failure.ts";
import { useLoad } from "./use-load.ts";

export interface Pages<Entry> {
  /** `null` until the first response. */
  readonly entries: readonly Entry[] | null;
  readonly hasMore: boolean;
  readonly failure: ApiFailure | null;
  readonly isLoading: boolean;
  readonly isLoadingMore: boolean;
  /** Whether no page after the first is loaded. */
  readonly hasOnlyFirstPage: boolean;
  readonly loadMore: () => void;
  /** Repeats the failed request. */
  readonly retry: () => void;
  /** Starts over with the first page. */
  readonly reload: () => void;
}

interface Rest<Entry> {
  /** The first page that these entries follow. */
  readonly first: AdminList<Entry> | null;
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
  readonly failure: ApiFailure | null;
  readonly isLoading: boolean;
}

/** Loads a list page by page. */
export function usePages<Entry extends { readonly id: string | number }>(
  key: string,
  load: (query: { readonly after?: string }, signal?: AbortSignal) => Promise<AdminList<Entry>>,
): Pages<Entry> {
  const loaded = useLoad(key, (signal) => load({}, signal));
  const { data: first, failure, isLoading, reload, cancelReload } = loaded;
  const [stored, setRest] = useState<Rest<Entry>>(emptyRest(null));
  // a reload replaces the first page, so the rest no longer follows it
  const rest = stored.first === first ? stored : emptyRest<Entry>(first);
  const entries = first === null ? null : [...first.entries, ...rest.entries];

  const loadMore = (): void => {
    const last = entries?.at(-1);
    if (last === undefined || rest.isLoading) return;
    const settle = (change: Partial<Rest<Entry>>): void =>
      setRest((current) => (current.first === first ? { ...current, ...change, isLoading: false } : current));
    // the rest must follow this first page
    cancelReload();
    setRest({ ...rest, failure: null, isLoading: true });
    load({ after: String(last.id) }).then(
      (page) => settle({ entries: [...rest.entries, ...page.entries], hasMore: page.has_more }),
      (error: unknown) => settle({ failure: toFailure(error) }),
    );
  };

  return {
    entries,
    hasMore: rest.hasMore,
    failure: failure ?? rest.failure,
    isLoading: isLoading || rest.isLoading,
    isLoadingMore: rest.isLoading,
    hasOnlyFirstPage: rest.entries.length === 0,
    loadMore,
    retry: failure === null ? loadMore : reload,
    reload,
  };
}

function emptyRest<Entry>(first: AdminList<Entry> | null): Rest<Entry> {
  return { first, entries: [], hasMore: first?.has_more === true, failure: null, isLoading: false };
}
