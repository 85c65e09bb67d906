/*
 * Uses the built client as a program would, in any runtime. client.test.ts starts it with the address of its server in
 * SNAP_BASE_URL, and compares the output.
 */
import { createClient, isSnapError } from "../../../client/dist/index.js";
import { signDelivery } from "../../../client/dist/testing/index.js";
import { verifyWebhook, webhookHandler } from "../../../client/dist/webhooks/index.js";

const signingSecret = "s3cret-of-token-7";
const retries = [];
const snap = createClient({
  signingSecret,
  maxRetryDelayMs: 1000,
  hooks: { onRetry: ({ code }) => retries.push(code) },
});

const page = { url: "https://example.com/", fullPage: true };
const { bytes, contentType, etag } = await snap.screenshot(page);
const { notModified } = await snap.screenshot(page, { ifNoneMatch: etag });
const { stream } = await snap.pdf({ html: "<h1>Hello</h1>" }, { as: "stream" });
const pdf = await new Response(stream).text();

const submitted = await snap.batches.submit({ items: [page] });
const { status } = await snap.batches.wait(submitted, { pollIntervalMs: 1 });

const failures = [];
for (const call of [
  () => snap.screenshot({ ...page, scale: 9 }),
  () => snap.batches.get("batch_0"),
  () => snap.usage({ signal: AbortSignal.abort() }),
  () => snap.usage({ timeoutMs: 100, maxRetries: 0 }),
])
  try {
    await call();
  } catch (error) {
    failures.push(isSnapError(error) ? error.code : String(error));
  }

const signed = snap.withOptions({ baseUrl: "https://snap.example.com/v1", token: "7|s3cret" }).signUrl(page, {
  expires: new Date("2030-01-01T00:00:00Z"),
});

const { body, headers } = signDelivery(submitted, { signingSecret });
const verified = verifyWebhook(new TextEncoder().encode(body), headers, signingSecret).id;
const request = new Request("https://app.example.com/hook", { method: "POST", body, headers });
const acknowledged = (await webhookHandler(signingSecret, () => {})(request)).status;

console.log(
  JSON.stringify({
    image: [contentType, bytes.byteLength, notModified],
    pdf,
    retries,
    batch: status,
    failures,
    signed,
    webhook: [verified, acknowledged],
  }),
);
