import { ErrorReply } from "@redis/client";

/** Redis is required, but could not be reached on opening. The message has the reason and a remedy. */
export class RedisUnreachableError extends Error {
  override readonly name = "RedisUnreachableError";
}

/** Returns whether Redis was not reached, or was not trusted; it has not answered that it is busy or not the primary. */
export function isUnreachable(failure: unknown): boolean {
  return failure !== null && !(failure instanceof ErrorReply);
}

/** What is wrong if a connection fails with the code, and the remedy. */
const REMEDIES: readonly (readonly [code: RegExp, remedy: string])[] = [
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "correct the host name"],
  [/^ECONNREFUSED$/, "start Redis, or correct the host and the port"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "use a host name that the certificate is for"],
  [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/, "renew the certificate of Redis"],
  [
    /CERT|^UNABLE_TO_/,
    "for a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file",
  ],
];

/** Returns what the operator can do about a connection to this URL that fails. */
export function remedyOf(failure: unknown, { protocol }: URL): string {
  if (failure instanceof ErrorReply) return remedyOfReply(failure);
  const code = failure instanceof Error && "code" in failure ? String(failure.code) : "";
  const other =
    protocol === "rediss:" ? "use redis:// if Redis expects no TLS" : "use rediss:// if Redis expects TLS";
  return (
    REMEDIES.find(([pattern]) => pattern.test(code))?.[1] ??
    `check the host, the port and the network, and ${other}`
  );
}

function remedyOfReply({ message }: ErrorReply): string {
  if (/^(?:WRONGPASS|NOAUTH)/.test(message)) return "correct the user and the password in its URL";
  if (message.startsWith("NOPERM"))
    return "give its user the commands that the README of @snap/storage-redis lists";
  if (message.startsWith("ERR DB")) return "correct the number of the database in its URL";
  return "wait until it is ready";
}
