import type { ComponentChildren, JSX } from "preact";
import { useCallback, useRef } from "preact/hooks";
import type { Pages } from "../hooks/use-pages.ts";
import { usePoll } from "../hooks/use-poll.ts";
import { formatNoun } from "../format.ts";
import { Failure, Loading } from "./states.tsx";

interface PageListProps<Entry> {
  readonly pages: Pages<Entry>;
  /** Singular, such as `request`. */
  readonly noun: string;
  readonly plural?: string;
  /**
   * Whether to poll for new entries while only the first page is loaded and neither the pointer nor
   * the focus is in the list.
   */
  readonly isLive?: boolean;
  /** Shown if the list is empty. */
  readonly empty: ComponentChildren;
  readonly children: (entries: readonly Entry[]) => ComponentChildren;
}

const POLL_MS = 2_000;

/** A list that loads page by page, with its loading, empty and failure states. */
export function PageList<Entry>({
  pages,
  noun,
  plural = `${noun}s`,
  isLive = false,
  empty,
  children,
}: PageListProps<Entry>): JSX.Element {
  const { entries, hasMore, failure, isLoading, isLoadingMore, hasOnlyFirstPage, loadMore, reload } = pages;
  const panel = useRef<HTMLDivElement>(null);
  const refresh = useCallback(() => {
    if (panel.current?.matches(":hover, :focus-within") === false) reload();
  }, [reload]);
  usePoll(refresh, isLive && hasOnlyFirstPage && !isLoading ? POLL_MS : null);
  return (
    <div ref={panel} class="panel" aria-busy={isLoading}>
      {failure !== null && (
        <Failure failure={failure} title={`Cannot load the ${plural}`} onRetry={pages.retry} />
      )}
      {entries === null && failure === null && <Loading what={plural} />}
      {entries?.length === 0 && empty}
      {entries !== null && entries.length > 0 && (
        <>
          {children(entries)}
          <div class="table-foot">
            <span class="muted" role="status">
              {formatNoun(entries.length, noun, plural)}
              {hasMore && "; more available"}
            </span>
            {hasMore && (
              <button type="button" class="button small" onClick={loadMore} disabled={isLoadingMore}>
                {isLoadingMore ? "Loading…" : "Load more"}
              </button>
            )}
          </div>
        </>
      )}
    </div>
  );
}
