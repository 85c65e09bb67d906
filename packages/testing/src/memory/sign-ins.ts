import type { SignInKey, SignInStore } from "@snap/engine/ports";

/** Stores links and sessions in memory. */
export function createSignInStore(): SignInStore {
  const expiries = new Map<string, number>();
  const nameOf = ({ kind, hash }: SignInKey): string => JSON.stringify([kind, hash]);
  const find = ({ now, ...key }: SignInKey & { readonly now: number }): number | null => {
    const expiresAt = expiries.get(nameOf(key));
    return expiresAt === undefined || expiresAt <= now ? null : expiresAt;
  };
  return {
    async insert({ expiresAt, ...key }) {
      expiries.set(nameOf(key), expiresAt);
    },
    async find(request) {
      return find(request);
    },
    async take(request) {
      const isFound = find(request) !== null;
      expiries.delete(nameOf(request));
      return isFound;
    },
    async clear() {
      const { size } = expiries;
      expiries.clear();
      return size;
    },
    async prune({ now, limit }) {
      const expired = [...expiries].filter(([, expiresAt]) => expiresAt <= now).slice(0, limit);
      for (const [name] of expired) expiries.delete(name);
      return expired.length;
    },
  };
}
