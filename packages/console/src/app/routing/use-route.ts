import { useEffect, useState } from "preact/hooks";
import { parseRoute, type Route } from "./route.ts";

/** Returns the current route. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = (): void => setHash(location.hash);
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return parseRoute(hash);
}
