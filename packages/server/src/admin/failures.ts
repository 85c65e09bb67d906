import { AdminError, SnapError, type AdminErrorCode } from "@snap/engine";

/** The problem if another account has the email address. */
export const EMAIL_TAKEN = "already belongs to another account";

const NOT_FOUND: Readonly<Partial<Record<AdminErrorCode, string>>> = {
  account_not_found: "Account not found: the id is unknown, or the account was deleted.",
  batch_not_found: "Batch not found: the id is unknown, or the batch was deleted.",
  request_not_found: "Request not found: the id is unknown, or the request is no longer stored.",
  token_not_found: "Token not found: the id is unknown, or the token was revoked.",
};

/**
 * Converts an `AdminError` to the error of the admin API; returns any other error unchanged.
 *
 * @param parameter The parameter to name for an invalid value.
 */
export function toAdminFailure(error: unknown, parameter?: string): unknown {
  if (!(error instanceof AdminError)) return error;
  const { code, message } = error;
  const notFoundMessage = NOT_FOUND[code];
  if (notFoundMessage !== undefined) return new SnapError("not_found", notFoundMessage, { cause: error });
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  const errors =
    code === "email_taken"
      ? { email: [EMAIL_TAKEN] }
      : code === "invalid_value" && parameter !== undefined
        ? { [parameter]: [message] }
        : undefined;
  return new SnapError("validation_failed", sentence, { ...(errors && { errors }), cause: error });
}
