interface Message {
  readonly method?: unknown;
  readonly params?: unknown;
}

/**
 * Whether a message of a browser elsewhere is one that puppeteer can take. It handles what is said of
 * targets asynchronously, and nobody hears of the errors that it makes of something malformed: they would
 * end our process.
 */
export function isWellFormed(text: string): boolean {
  const message: unknown = JSON.parse(text);
  if (!isRecord(message)) return false;
  const { method, params }: Message = message;
  if (typeof method !== "string" || !method.startsWith("Target.")) return true;
  if (!isRecord(params)) return false;
  const { sessionId, targetInfo } = params;
  switch (method) {
    case "Target.attachedToTarget":
      return typeof sessionId === "string" && isTargetInfo(targetInfo);
    case "Target.targetCreated":
    case "Target.targetInfoChanged":
      return isTargetInfo(targetInfo);
    default:
      return true;
  }
}

function isTargetInfo(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return ["targetId", "type", "url"].every((name) => typeof value[name] === "string");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
