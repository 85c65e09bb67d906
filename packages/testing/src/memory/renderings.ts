import type { RenderingKey, RenderingStore, StoredRendering } from "@snap/engine";

/** Renderings in memory. */
export function createRenderingStore(): RenderingStore {
  const renderings = new Map<string, StoredRendering>();
  return {
    async get({ now, ...key }) {
      const rendering = renderings.get(nameOf(key));
      return rendering === undefined || rendering.expiresAt <= now ? null : copyOf(rendering);
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

/** Neither the caller's buffer nor one handed out may reach what is stored. */
function copyOf(rendering: StoredRendering): StoredRendering {
  return { ...rendering, bytes: new Uint8Array(rendering.bytes), notes: [...rendering.notes] };
}
