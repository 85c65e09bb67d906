import type { WebhookTest } from "@snap/engine";
import { responseLine } from "@snap/engine/internals";
import { STANDARD_WEBHOOK_HEADERS, WEBHOOK_HEADERS } from "@snap/protocol";
import type { Command } from "commander";
import { printable } from "../operations/printable.ts";
import { withAdminEngine, withJson } from "./admin.ts";
import { EXIT_CODES } from "./errors.ts";
import { formatTable, printJson, printLines } from "./output.ts";
import { parseTokenId } from "./values.ts";

interface TestOptions {
  readonly token: number;
  readonly json?: true;
}

/** `snap-server webhooks`: tests receivers. */
export function addWebhooks(program: Command): void {
  const webhooks = program.command("webhooks").description("test the receivers of webhooks");

  withJson(webhooks.command("test"))
    .description("send a signed test event to a receiver, without rendering anything")
    .argument("<url>", "URL of the receiver")
    .requiredOption(
      "--token <id>",
      "id of the token whose signing secret signs the event: the number before the pipe",
      parseTokenId,
    )
    .addHelpText(
      "after",
      `
The event is the document of a finished batch with "test": true and no items. This command sends it itself, once, with
the time limit of a real delivery. It reads the targets and the proxy from its own environment, so run it with the
service's settings. Exit code 1: the receiver did not acknowledge the event with a 2xx.`,
    )
    .action(testReceiver);
}

function testReceiver(url: string, { token: tokenId, json }: TestOptions): Promise<void> {
  return withAdminEngine(async ({ engine }) => {
    const test = await engine.batches.testWebhook(tokenId, { url });
    if (json) printJson(testDocument(test));
    else printLines(...testLines(test));
    if (!test.delivered) process.exitCode = EXIT_CODES.failure;
  });
}

function testDocument({ url, headers, outcome, delivered, durationMs }: WebhookTest): object {
  const hasResponse = outcome.kind === "responded";
  return {
    url,
    delivered,
    status: hasResponse ? outcome.status : null,
    failure: hasResponse ? null : outcome.reason,
    body: hasResponse ? outcome.body : null,
    duration_ms: durationMs,
    headers,
  };
}

/** The headers that a receiver verifies. */
const SIGNATURE_HEADERS = [...Object.values(WEBHOOK_HEADERS), ...Object.values(STANDARD_WEBHOOK_HEADERS)];

function testLines({ url, headers, outcome, delivered, durationMs }: WebhookTest): string[] {
  const hasResponse = outcome.kind === "responded";
  return [
    formatTable([
      ["receiver", printable(url)],
      ...SIGNATURE_HEADERS.map((name) => [name, headers[name] ?? ""]),
      ["result", delivered ? "acknowledged" : "not acknowledged"],
      ["status", hasResponse ? String(outcome.status) : "none"],
      ["response", hasResponse ? responseLine(outcome.body) || "empty" : outcome.reason],
      ["time", `${durationMs} ms`],
    ]),
    ...(delivered ? [] : ["", adviceFor(outcome)]),
  ];
}

type Outcome = WebhookTest["outcome"];

const FAILURE_ADVICE: Readonly<Record<Extract<Outcome, { readonly kind: "failed" }>["reason"], string>> = {
  blocked:
    "The receiver has a private address or a blocked port; if it is yours, add its host and port to SNAP_ALLOW_TARGETS. Or SNAP_DENY_TARGETS lists it, which takes precedence.",
  unresolved: "The receiver's host name has no address; check the URL.",
  "resolver-failed": "Name resolution failed; check the name servers of this machine.",
  unreachable:
    "No connection to the receiver, or its certificate is invalid; check the host, the port and the certificate.",
  "proxy-failed": "The upstream proxy rejected the connection or is down; check SNAP_UPSTREAM_PROXY.",
  "timed-out": "No complete response within 15 seconds; respond first, and put long work in a queue.",
  broken: "The response is incomplete, not HTTP or larger than 64 KiB; respond with a short body, or none.",
};

const REJECTED_ADVICE =
  "The receiver rejected the event. If it cannot verify the signature, compare its secret with `snap-server tokens reveal ID`, and verify the raw body before anything parses it.";

function adviceFor(outcome: Outcome): string {
  if (outcome.kind === "failed") return FAILURE_ADVICE[outcome.reason];
  const { status } = outcome;
  if (status < 400)
    return "Only a 2xx acknowledges a delivery, and redirects are not followed; use the final URL.";
  if (status === 404 || status === 405) return "Nothing accepts a POST at this URL; check the path.";
  if (status === 410) return "A 410 tells the service not to send a webhook again.";
  return status < 500 ? REJECTED_ADVICE : "The receiver failed; see its log. Real deliveries are retried.";
}
