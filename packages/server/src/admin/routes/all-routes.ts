import type { AdminRoute } from "../route.ts";
import { ACCOUNT_ROUTES } from "./accounts.ts";
import { BATCH_ROUTES } from "./batches.ts";
import { REQUEST_ROUTES } from "./requests.ts";
import { SERVICE_ROUTES } from "./service.ts";
import { SESSION_ROUTES } from "./session.ts";
import { TOKEN_ROUTES } from "./tokens.ts";
import { USAGE_ROUTES } from "./usage.ts";

export const ADMIN_ROUTES: readonly AdminRoute[] = [
  ...SERVICE_ROUTES,
  ...ACCOUNT_ROUTES,
  ...TOKEN_ROUTES,
  ...REQUEST_ROUTES,
  ...BATCH_ROUTES,
  ...USAGE_ROUTES,
  ...SESSION_ROUTES,
];
