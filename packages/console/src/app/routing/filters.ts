import { parseRoute, toHash } from "./route.ts";

export interface Filters {
  readonly get: (name: string) => string;
  readonly set: (name: string, value: string) => void;
  readonly clear: () => void;
  /** Number of filters that are set. */
  readonly count: number;
  /** Changes if and only if a filter changes. */
  readonly key: string;
}

/** Stores the filters of a list in the query of its route, so links and reloads preserve them. */
export function filtersOf(screen: string, query: URLSearchParams): Filters {
  return {
    get: (name) => query.get(name) ?? "",
    set(name, value) {
      // read again: a second change can come before the first one is rendered
      const { path, query: next } = parseRoute(location.hash);
      // a field that loses focus because the user has left the screen
      if (path[0] !== screen) return;
      next.set(name, value);
      // avoids a history entry per filter
      location.replace(toHash([screen], next));
    },
    clear: () => location.replace(toHash([screen])),
    count: query.size,
    key: query.toString(),
  };
}
