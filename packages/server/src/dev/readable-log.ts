import type { DestinationStream } from "pino";

type Fields = Readonly<Record<string, unknown>>;

/** Fields that have a place of their own in a line, or that only programs want. */
const PLACED: ReadonlySet<string> = new Set([
  "level",
  "time",
  "msg",
  "method",
  "path",
  "status",
  "duration_ms",
  "request_id",
  "account",
  "err",
]);

/** Turns the log's JSON lines into lines for people. */
export function readableLog(output: NodeJS.WritableStream): DestinationStream {
  return {
    write(line) {
      output.write(`${formatLine(JSON.parse(line) as Fields)}\n`);
    },
  };
}

function formatLine(fields: Fields): string {
  const time = new Date(String(fields["time"])).toLocaleTimeString("en-GB");
  const level = fields["level"] === "info" ? "" : `${String(fields["level"])}: `;
  const rest = Object.entries(fields).flatMap(([name, value]) =>
    PLACED.has(name) ? [] : [`${name}=${typeof value === "string" ? value : JSON.stringify(value)}`],
  );
  return [time, `${level}${subjectOf(fields)}`, ...rest, ...stackOf(fields)].join("  ");
}

function subjectOf(fields: Fields): string {
  if (typeof fields["method"] !== "string") return String(fields["msg"]);
  return `${String(fields["status"])} ${fields["method"]} ${String(fields["path"])}  ${String(fields["duration_ms"])} ms`;
}

/** A stack helps with faults of ours; a busy service or a slow page has none to show. */
function stackOf({ err, status }: Fields): string[] {
  if (status !== undefined && status !== 500) return [];
  return typeof err === "object" && err !== null && "stack" in err ? [`\n${String(err.stack)}`] : [];
}
