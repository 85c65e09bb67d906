import type { RenderingKey, RenderingStore, StoredRendering } from "@snap/engine/ports";

/** Renderings in memory. */
export function createRenderingStore(): RenderingStore {
  const renderings = new Map<string, StoredRendering>();
  const find = ({ now, ...key }: RenderingKey & { readonly now: number }): StoredRendering | null => {
    const rendering = renderings.get(nameOf(key));
    return rendering === undefined || rendering.expiresAt <= now ? null : copyOf(rendering);
  };
  return {
    async get(request) {
      return find(request);
    },
    async peek(request) {
      const rendering = find(request);
      if (rendering === null) return null;
      const { bytes: _, ...description } = rendering;
      return description;
    },
    async put({ rendering, ...key }) {
      renderings.set(nameOf(key), copyOf(rendering));
    },
    async delete(key) {
      renderings.delete(nameOf(key));
    },
    async prune({ now, limit }) {
      const expired = [...renderings].filter(([, { expiresAt }]) => expiresAt <= now).slice(0, limit);
      for (const [name] of expired) renderings.delete(name);
      return expired.length;
    },
  };
}

function nameOf({ accountId, key }: RenderingKey): string {
  return JSON.stringify([accountId, key]);
}

/** Copies the buffers, so that callers cannot change the stored rendering. */
function copyOf(rendering: StoredRendering): StoredRendering {
  return { ...rendering, bytes: new Uint8Array(rendering.bytes), notes: [...rendering.notes] };
}
