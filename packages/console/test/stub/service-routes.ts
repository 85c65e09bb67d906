import { handleDeliveries, summarize } from "./admin-routes.ts";
import { envelope, ok, page, type StubResponse, type Call, type Stub } from "./responses.ts";
import { INJECTED_HTML, USAGE_REPORT } from "./data.ts";

/** Handles a call to the token holders' API; returns `null` for an unknown path. */
export function handleService(stub: Stub, call: Call): StubResponse | null {
  if (call.path === "/v1/snap/signed") return image(stub);
  if (call.token === null || !stub.tokens.has(call.token))
    return envelope(401, "unauthenticated", "The token is unknown or revoked.");
  const [resource = "", id = "", action = ""] = call.path.slice("/v1/".length).split("/");
  switch (resource) {
    case "usage":
      return ok(USAGE_REPORT);
    case "snap":
      return render(stub, call.query.get("url") ?? "", call.query.get("pdf") === "true");
    case "captures":
      return render(stub, JSON.stringify(call.body), call.body?.["pdf"] === true);
    case "renders":
      return handleBatches(stub, call, { id, action });
    default:
      return null;
  }
}

function render(stub: Stub, url: string, isPdf: boolean): StubResponse {
  if (url.includes("timeout")) return envelope(504, "render_timeout", "The render did not finish in time.");
  if (url.includes("bad-gateway")) return { status: 502, body: "<h1>Bad gateway</h1>" };
  if (url.includes("rejected"))
    return envelope(422, "validation_failed", `url is rejected ${INJECTED_HTML}`, {
      url: [`is rejected ${INJECTED_HTML}`],
    });
  const headers = { ...IMAGE_HEADERS, "Content-Type": "application/pdf" };
  return isPdf ? { ...image(stub), headers } : image(stub);
}

const IMAGE_HEADERS = {
  "Content-Type": "image/png",
  "X-Request-Id": "7b1f0000-0000-4000-8000-0000000000aa",
  "X-Credits-Limit": "1250000",
  "X-Credits-Remaining": "1015432",
  "X-Cache": "MISS",
  ETag: '"5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"',
  "X-Target-Status": "200",
  "X-Stored-Location": "s3://archive/acct_1/example.png",
  "X-Render-Notes": "blocked=12, lazy-capped",
};

function image(stub: Stub): StubResponse {
  return { status: 200, headers: IMAGE_HEADERS, body: stub.image };
}

function handleBatches(
  stub: Stub,
  call: Call,
  { id, action }: { readonly id: string; readonly action: string },
): StubResponse {
  const own = stub.scenario === "empty" ? [] : stub.data.batches;
  if (id === "") return page(own.map(summarize), call.query);
  const batch = own.find((each) => each.id === id);
  if (batch === undefined) return envelope(404, "not_found", "No such batch.");
  if (action === "deliveries")
    return handleDeliveries(stub, {
      ...call,
      query: new URLSearchParams({ batch: id }),
      body: { batch_id: id },
    });
  const signed_url =
    "https://elsewhere.example/v1/snap/signed?tokenId=7&url=https%3A%2F%2Fexample.com%2F&signature=00";
  return ok({
    ...batch,
    webhook: batch.webhook && { url: batch.webhook.url, delivered_at: batch.webhook.delivered_at },
    items: batch.items.map(({ parameters, ...item }) =>
      Object.assign(item, {
        signed_url: item.status === "done" ? signed_url + (parameters["pdf"] ? "&pdf=true" : "") : null,
      }),
    ),
  });
}
