export { createFakeService } from "./fake-service.ts";
export type { FakeService, FakeServiceOptions } from "./fake-service.ts";
export type { FakeFailure } from "./responses.ts";
export type { RecordedRequest } from "./routes.ts";
export { signDelivery } from "./sign-delivery.ts";
export type { SignDeliveryOptions, SignedWebhook } from "./sign-delivery.ts";
