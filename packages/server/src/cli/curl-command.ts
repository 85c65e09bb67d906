import { quoteIfNeeded } from "../quote.ts";

/** A curl command, quoted for a POSIX shell, that renders `target` to `file`. */
export function curlCommand(request: {
  readonly origin: string;
  readonly token: string;
  readonly target: string;
  /** Additional query parameters. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly file: string;
}): string {
  const query = Object.entries({ url: request.target, ...request.parameters })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  const header = quoteIfNeeded(`Authorization: Bearer ${request.token}`);
  return `curl -fsS -H ${header} ${quoteIfNeeded(`${request.origin}/v1/snap?${query}`)} -o ${quoteIfNeeded(request.file)}`;
}
