import type { Stub } from "../stub/responses.ts";

export const BATCH_ID = "batch_0a1b2c3d4e5f60718293a4b5";

const EMAILS = ["billing@northwind.example", "ops@adventure.example", "press@wingtip.example"];
const HOSTS = ["www.northwind.example", "shop.adventure.example", "docs.wingtip.example", "fabrikam.example"];

/**
 * Makes the sample data plausible where screenshots show it: replaces the extreme strings that only tests need, leaves one
 * problem, and links a batch to a request and to delivery attempts.
 */
export function prepareForScreenshots({ data, image }: Stub): void {
  for (const [index, email] of EMAILS.entries()) Object.assign(data.accounts[index]!, { email });
  Object.assign(data.tokens[1]!, { name: "Social images" });
  Object.assign(data.tokens[2]!, { id: 12, name: "Blog" });
  data.problems.splice(1);
  for (const [index, request] of data.requests.entries()) {
    const host = HOSTS[index % HOSTS.length]!;
    const parameters = {
      url: `https://${host}/articles/${index}`,
      ...(request.mode === "pdf" && { pdf: true }),
    };
    Object.assign(request, { host, parameters, token_id: [7, 8, 12][index % 3] });
  }
  Object.assign(data.requests[0]!, {
    bytes: image.byteLength,
    parameters: { url: `https://${HOSTS[0]}/`, fullPage: true, headers: "[secret]" },
  });
  Object.assign(data.requests[4]!, { batch_id: BATCH_ID });
  for (const batch of data.batches)
    if (batch.webhook) Object.assign(batch.webhook, { url: "https://hooks.northwind.example/snap" });
  const [batch] = data.batches;
  Object.assign(batch!, { id: BATCH_ID });
  Object.assign(batch!.items[0]!, { url: `https://${HOSTS[0]}/` });
  Object.assign(batch!.items[2]!, {
    error: { code: "target_unreachable", message: "The page's host name could not be resolved." },
  });
  for (const attempt of data.deliveries.slice(0, 3))
    Object.assign(attempt, { batch_id: BATCH_ID, body: attempt.body && "<h1>Internal Server Error</h1>" });
}
