import type { TokenRecord } from "@snap/engine/ports";

export type NewToken = Omit<TokenRecord, "id" | "previous" | "lastUsedAt">;

export function sampleToken(change: Partial<NewToken> = {}): NewToken {
  return {
    accountId: "acct_1",
    name: null,
    abilities: ["screenshot", "pdf"],
    secretHash: hexOf(32, 7),
    sealedSigningSecret: Buffer.from(Array.from({ length: 256 }, (_, index) => index)).toString("hex"),
    createdAt: 1_767_225_600_000,
    expiresAt: null,
    rotatedAt: null,
    ...change,
  };
}

export function hexOf(length: number, byte: number): string {
  return Buffer.alloc(length, byte).toString("hex");
}
