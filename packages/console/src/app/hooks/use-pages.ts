import type { AdminList } from "@snap/protocol";
import { useCallback, useEffect, useState } from "preact/hooks";
import { toFailure, type ApiFailure } from "../api/failure.ts";
import { useLoad } from "./use-load.ts";

export interface Pages<Entry> {
  /** `null` until the first response. */
  readonly entries: readonly Entry[] | null;
  readonly hasMore: boolean;
  readonly failure: ApiFailure | null;
  readonly isLoading: boolean;
  readonly isLoadingMore: boolean;
  /** Whether only the first page is loaded. */
  readonly hasOnlyFirstPage: boolean;
  readonly loadMore: () => void;
  /** Repeats the failed request. */
  readonly retry: () => void;
  /** Starts over with the first page. */
  readonly reload: () => void;
}

interface Rest<Entry> {
  readonly key: string;
  /** The first page that these entries follow. */
  readonly first: AdminList<Entry> | null;
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
  readonly failure: ApiFailure | null;
  readonly isLoading: boolean;
  /** Whether a reload that began later replaces all pages. */
  readonly isReloading: boolean;
}

/** Loads a list page by page. */
export function usePages<Entry extends { readonly id: string | number }>(
  key: string,
  load: (query: { readonly after?: string }, signal?: AbortSignal) => Promise<AdminList<Entry>>,
): Pages<Entry> {
  const {
    data: latest,
    failure,
    isLoading,
    reload: reloadFirst,
  } = useLoad(key, (signal) => load({}, signal));
  const [stored, setRest] = useState<Rest<Entry>>(emptyRest(key, null));
  useEffect(() => setRest(emptyRest(key, null)), [key]);
  // if more was requested while the first page was reloading, the rest follows the previous one, which stays
  const hasRest = stored.isLoading || stored.entries.length > 0 || stored.failure !== null;
  const isFollowed = hasRest && !stored.isReloading;
  const isCurrent = stored.key === key && (stored.first === latest || isFollowed);
  const rest = isCurrent ? stored : emptyRest<Entry>(key, latest);
  const { first } = rest;
  const entries = first === null ? null : [...first.entries, ...rest.entries];

  const loadMore = (): void => {
    const last = entries?.at(-1);
    if (last === undefined || rest.isLoading) return;
    const settle = (change: Partial<Rest<Entry>>): void =>
      setRest((current) => (current.first === first ? { ...current, ...change, isLoading: false } : current));
    setRest({ ...rest, failure: null, isLoading: true, isReloading: false });
    load({ after: String(last.id) }).then(
      (page) => settle({ entries: [...rest.entries, ...page.entries], hasMore: page.has_more }),
      (error: unknown) => settle({ failure: toFailure(error) }),
    );
  };

  const reload = useCallback((): void => {
    setRest((current) => ({ ...current, isReloading: true }));
    reloadFirst();
  }, [reloadFirst]);

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

function emptyRest<Entry>(key: string, first: AdminList<Entry> | null): Rest<Entry> {
  const hasMore = first?.has_more === true;
  return { key, first, entries: [], hasMore, failure: null, isLoading: false, isReloading: false };
}
