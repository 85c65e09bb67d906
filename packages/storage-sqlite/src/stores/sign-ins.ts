import type { SignInStore } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { prepare } from "../prepare.ts";
import { durably } from "../transaction.ts";

export function createSignInStore(database: DatabaseSync): SignInStore {
  const insert = prepare(
    database,
    "INSERT INTO sign_ins (kind, hash, expires_at) VALUES (:kind, :hash, :expiresAt)",
  );
  const find = prepare<{ expiresAt: number }>(
    database,
    "SELECT expires_at AS expiresAt FROM sign_ins WHERE kind = :kind AND hash = :hash AND expires_at > :now",
  );
  const take = prepare<{ expiresAt: number }>(
    database,
    "DELETE FROM sign_ins WHERE kind = :kind AND hash = :hash RETURNING expires_at AS expiresAt",
  );
  const clear = prepare(database, "DELETE FROM sign_ins");
  const prune = prepare(
    database,
    `DELETE FROM sign_ins WHERE (kind, hash) IN
       (SELECT kind, hash FROM sign_ins WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit)`,
  );
  return {
    async insert(signIn) {
      durably(database, () => insert.run({ ...signIn }));
    },
    async find({ kind, hash, now }) {
      return find.get({ kind, hash, now })?.expiresAt ?? null;
    },
    async take({ kind, hash, now }) {
      // durably, because a power failure must not restore a used link or an ended session
      const [taken] = durably(database, () => take.all({ kind, hash }));
      return taken !== undefined && taken.expiresAt > now;
    },
    async clear() {
      return Number(durably(database, () => clear.run()).changes);
    },
    async prune({ now, limit }) {
      return Number(prune.run({ now, limit }).changes);
    },
  };
}
