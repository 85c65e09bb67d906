import { expect, it } from "vitest";
import { explainNavigation } from "../../src/puppeteer/page/explain-navigation.ts";
import type { Tab } from "../../src/puppeteer/page/tab.ts";

// only the tab's egress is used; it reports no failure if the browser connects directly
const tab = { egress: { failure: () => null, failureDetail: () => null } } as unknown as Tab;

it.each([
  ["net::ERR_ADDRESS_UNREACHABLE", "Could not connect to the page's host."],
  ["net::ERR_ADDRESS_INVALID", "Could not connect to the page's host."],
  ["net::ERR_CONNECTION_REFUSED", "Could not connect to the page's host."],
  ["net::ERR_NAME_NOT_RESOLVED", "The page's host name could not be resolved."],
])("explains %s", (netError, message) => {
  const error = explainNavigation({ tab, url: "https://example.com/path", netError });
  expect(error).toMatchObject({
    code: "target_unreachable",
    message,
    detail: `${netError} at https://example.com`,
  });
});
