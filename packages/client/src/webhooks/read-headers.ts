import { WEBHOOK_HEADERS } from "@snap/protocol";
import { WebhookError } from "./webhook-error.ts";

interface WebHeaders {
  get(name: string): string | null;
}

type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A web `Headers`, or a record as in node:http and Express. Names are case-insensitive. */
export type WebhookHeaders = WebHeaders | HeaderRecord;

/** Values of the `X-Webhook-` headers, by role. */
export type DeliveryHeaders = Readonly<Record<keyof typeof WEBHOOK_HEADERS, string>>;

/** Reads the headers of a delivery. Duplicates joined by the platform fail verification later. */
export function readHeaders(headers: WebhookHeaders): DeliveryHeaders {
  return {
    id: readHeader(headers, WEBHOOK_HEADERS.id),
    timestamp: readHeader(headers, WEBHOOK_HEADERS.timestamp),
    signature: readHeader(headers, WEBHOOK_HEADERS.signature),
  };
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const values = isWebHeaders(headers) ? [headers.get(name)] : valuesOf(headers, name);
  const [value, ...others] = values.filter((item) => item != null);
  if (typeof value !== "string")
    throw new WebhookError(
      "missing_header",
      `Header ${name} is missing; pass all headers of the request unchanged.`,
    );
  if (others.length > 0) throw new WebhookError("missing_header", `Header ${name} was sent more than once.`);
  return value;
}

function isWebHeaders(headers: WebhookHeaders): headers is WebHeaders {
  return typeof Object(headers).get === "function";
}

function valuesOf(record: HeaderRecord, name: string): readonly (string | undefined)[] {
  return Object.entries(record ?? {})
    .filter(([key]) => key.toLowerCase() === name.toLowerCase())
    .flatMap(([, value]) => value);
}
