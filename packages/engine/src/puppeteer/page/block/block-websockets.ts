import type { Setting } from "../configure/setting.ts";

/**
 * Blocked WebSockets are redirected to this host. The egress proxy blocks it, and `.invalid` never resolves (RFC 6761,
 * 6.4).
 */
export const WEBSOCKET_SINK = "blocked-websocket.invalid";

/**
 * The DevTools protocol cannot block WebSockets, so their constructors are replaced before scripts run. A blocked
 * WebSocket fails like any other that cannot connect.
 */
const redirectWebSockets = (patterns: readonly string[]): string => `(() => {
  // a page's declarations, such as \`const URL\`, shadow globals in functions that run later
  const { globalThis: root, URL: { parse }, Reflect: { construct }, Object: { defineProperty } } = globalThis;
  const patterns = ${JSON.stringify(patterns)}.map((source) => new RegExp(source));
  const isBlocked = ({ protocol, hostname, port, pathname, search }) => {
    const isSecure = protocol === "wss:" || protocol === "https:";
    const url = (isSecure ? "wss://" : "ws://") + hostname + ":" + (port || (isSecure ? 443 : 80)) + pathname + search;
    const withoutDefaultPort = url.replace(isSecure ? ":443/" : ":80/", "/");
    return patterns.some((pattern) => pattern.test(url) || pattern.test(withoutDefaultPort));
  };
  for (const name of ["WebSocket", "WebSocketStream"]) {
    const Native = root[name];
    if (Native === undefined) continue;
    const connect = (target, [requestedUrl, ...others], newTarget) => {
      const url = parse(requestedUrl, root.document?.baseURI ?? root.location.href);
      if (url === null || !isBlocked(url)) return construct(target, [requestedUrl, ...others], newTarget);
      const socket = construct(target, ["wss://${WEBSOCKET_SINK}/", ...others], newTarget);
      return defineProperty(socket, "url", { value: url.href });
    };
    root[name] = new Proxy(Native, { construct: connect });
    Native.prototype.constructor = root[name];
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
