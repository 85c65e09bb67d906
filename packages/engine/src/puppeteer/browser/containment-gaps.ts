import type { BrowserEgress } from "../renderer-event.ts";

interface Started {
  /** Every argument of the browser; `null` when it doesn't tell. */
  readonly commandLine: string | null;
  readonly egress: BrowserEgress;
}

const WEBRTC = /--(force-)?webrtc-ip-handling-policy[= ]\W*disable_non_proxied_udp/;

/**
 * What does not hold, of the containment that a browser of our own has, for one that somebody else
 * started: a sentence each, for the operator.
 */
export function findContainmentGaps({ commandLine, egress }: Started): readonly string[] {
  const told = commandLine ?? "";
  const gaps = [
    [egress === "direct", DIRECT],
    [!WEBRTC.test(told), "WebRTC may send datagrams from where the browser is"],
    [!told.includes("--host-resolver-rules"), "names may be looked up from where the browser is"],
    [commandLine === null, "whether its pages run in a sandbox is not known"],
    [told.includes("--no-sandbox"), "its pages run without a sandbox"],
    [true, "the memory of its pages and processes is not bounded by us"],
  ] as const;
  return gaps.flatMap(([holds, sentence]) => (holds ? [sentence] : []));
}

const DIRECT =
  "pages connect from where the browser is, and its network is what contains them: addresses are judged before they are asked for, but not those of WebSockets, workers, prefetches and prerendered pages, and no bound is kept on what a page loads";
