import { useEffect, useState } from "preact/hooks";
import { parseRoute, type Route } from "./route.ts";

export interface CurrentRoute extends Route {
  /**
   * Changes with every navigation, even to the same route: `history.replaceState` may have changed
   * the address in between.
   */
  readonly visit: number;
}

export function useRoute(): CurrentRoute {
  const [visit, setVisit] = useState(0);
  useEffect(() => {
    const update = (): void => setVisit((count) => count + 1);
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return { ...parseRoute(location.hash), visit };
}
