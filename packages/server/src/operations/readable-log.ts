import type { DestinationStream } from "pino";

type Fields = Readonly<Record<string, unknown>>;

/** Fields that are formatted separately, or that only programs need. */
const HIDDEN_FIELDS = "level time msg instance request_id account token client user_agent err".split(" ");
/** The same, but only in the line of a request. */
const REQUEST_FIELDS = ["method", "path", "status", "duration_ms", "bytes"];

/** Formats JSON log lines for humans. */
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
  const hidden = isRequest(fields) ? [...HIDDEN_FIELDS, ...REQUEST_FIELDS] : HIDDEN_FIELDS;
  const rest = Object.entries(fields).flatMap(([name, value]) =>
    hidden.includes(name) ? [] : [`${name}=${typeof value === "string" ? value : JSON.stringify(value)}`],
  );
  return [time, `${level}${subjectOf(fields)}`, ...rest, ...stackOf(fields)].join("  ");
}

function isRequest({ method }: Fields): boolean {
  return typeof method === "string";
}

function subjectOf(fields: Fields): string {
  if (!isRequest(fields)) return String(fields["msg"]);
  return `${String(fields["status"])} ${String(fields["method"])} ${String(fields["path"])}  ${String(fields["duration_ms"])} ms`;
}

/** A stack trace helps with internal errors only, not with a busy service or a slow page. */
function stackOf({ err, status }: Fields): string[] {
  if (status !== undefined && status !== 500) return [];
  return typeof err === "object" && err !== null && "stack" in err ? [`\n${String(err.stack)}`] : [];
}
