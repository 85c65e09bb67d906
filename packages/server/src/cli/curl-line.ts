/** A command for a POSIX shell that renders `target` into `file`; works as pasted. */
export function curlLine(wanted: {
  readonly origin: string;
  readonly token: string;
  readonly target: string;
  /** Further parameters of the query. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly file: string;
}): string {
  const query = Object.entries({ url: wanted.target, ...wanted.parameters })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  const header = quote(`Authorization: Bearer ${wanted.token}`);
  return `curl -fsS -H ${header} ${quote(`${wanted.origin}/v1/snap?${query}`)} -o ${quote(wanted.file)}`;
}

function quote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
