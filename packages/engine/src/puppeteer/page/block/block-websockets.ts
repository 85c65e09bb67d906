import type { Setting } from "../configure/setting.ts";

/** Blocked WebSockets connect to this host, which the egress proxy blocks and no resolver knows (RFC 6761, 6.4). */
export const WEBSOCKET_SINK = "blocked-websocket.invalid";

/**
 * The DevTools protocol cannot block WebSockets, so their constructors are replaced before scripts run. A blocked
 * WebSocket fails like any other that cannot connect.
 */
const redirectWebSockets = (patterns: readonly string[]): string => `(() => {
  const patterns = ${JSON.stringify(patterns)}.map((source) => new RegExp(source));
  const isBlocked = ({ protocol, hostname, port, pathname, search }) => {
    const isSecure = protocol === "wss:" || protocol === "https:";
    const url = (isSecure ? "wss://" : "ws://") + hostname + ":" + (port || (isSecure ? 443 : 80)) + pathname + search;
    const implicit = url.replace(isSecure ? ":443/" : ":80/", "/");
    return patterns.some((pattern) => pattern.test(url) || pattern.test(implicit));
  };
  for (const name of ["WebSocket", "WebSocketStream"]) {
    const Native = globalThis[name];
    if (Native === undefined) continue;
    const construct = (target, [sent, ...others], newTarget) => {
      const url = URL.parse(sent, globalThis.document?.baseURI ?? location.href);
      if (url === null || !isBlocked(url)) return Reflect.construct(target, [sent, ...others], newTarget);
      const socket = Reflect.construct(target, ["wss://${WEBSOCKET_SINK}/", ...others], newTarget);
      return Object.defineProperty(socket, "url", { value: url.href });
    };
    globalThis[name] = new Proxy(Native, { construct });
    Native.prototype.constructor = globalThis[name];
  }
})()`;

/**
 * Blocks WebSockets whose URL matches one of these regular expressions.
 *
 * @returns no settings if there are no patterns, so workers need not be followed.
 */
export function webSocketSettings(patterns: readonly string[]): readonly Setting[] {
  if (patterns.length === 0) return [];
  const source = redirectWebSockets(patterns);
  const setting: Setting = {
    targets: "workers",
    apply: ({ session, isWorker }) =>
      isWorker
        ? session.send("Runtime.evaluate", { expression: source })
        : session.send("Page.addScriptToEvaluateOnNewDocument", { source, runImmediately: true }),
  };
  return [setting];
}
