import { ErrorReply } from "@redis/client";
import { isPermanent } from "./client.ts";

/** Redis is required, but could not be reached on opening. The message contains the reason and a remedy. */
export class RedisUnreachableError extends Error {
  override readonly name = "RedisUnreachableError";
}

/** Returns whether Redis was not reached or not trusted, rather than busy or not the primary. */
export function isUnreachable(failure: unknown): boolean {
  return failure !== null && !(failure instanceof ErrorReply);
}

/** Error codes of a failed connection, and the remedies. */
const REMEDIES: readonly (readonly [code: RegExp, remedy: string])[] = [
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "correct the host name"],
  [/^ECONNREFUSED$/, "start Redis, or correct the host and the port"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "use a host name that the certificate is for"],
  [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/, "renew the certificate of Redis, or correct the clock"],
  [
    /CERT|^UNABLE_TO_/,
    "for a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file",
  ],
];

/** Returns the remedy for a failed connection to this URL. */
export function remedyOf(failure: unknown, { protocol }: URL): string {
  if (failure instanceof ErrorReply) return remedyOfReply(failure);
  const code = failure instanceof Error && "code" in failure ? String(failure.code) : "";
  const tlsAdvice =
    protocol === "rediss:" ? "use redis:// if Redis does not use TLS" : "use rediss:// if Redis uses TLS";
  return (
    REMEDIES.find(([pattern]) => pattern.test(code))?.[1] ??
    `check the host, the port and the network, and ${tlsAdvice}`
  );
}

function remedyOfReply(reply: ErrorReply): string {
  const { message } = reply;
  // `ERR AUTH` is for a password that Redis does not expect
  if (/^(?:WRONGPASS|NOAUTH|ERR AUTH)/.test(message)) return "correct the user and the password in its URL";
  // scripts have their own message for a missing permission
  if (/^(?:NOPERM|ERR The user executing the script)/.test(message))
    return "allow its user the commands and keys listed in the README of @snap/storage-redis";
  if (message.startsWith("ERR DB")) return "correct the database number in its URL";
  return isPermanent(reply)
    ? "correct its URL or its configuration"
    : "wait until it accepts writes, or correct its URL";
}
