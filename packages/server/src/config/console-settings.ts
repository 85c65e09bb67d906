import * as z from "zod";
import { durationOr, onOrOff, serviceUrl } from "./fields.ts";
import { optional, type Setting } from "./setting.ts";

/** Settings of the console, the admin API and the history. */
export const CONSOLE_SETTINGS = {
  console: {
    variable: "SNAP_CONSOLE",
    schema: optional(onOrOff()),
    description:
      "whether to serve the console at /console/ and the admin API: on or off; SNAP_ADMIN_TOKEN serves the " +
      "admin API even if this is off; workers serve neither",
    unset: "off; on with serve --dev",
  },
  adminToken: {
    variable: "SNAP_ADMIN_TOKEN",
    secret: true,
    schema: optional(
      z.string().regex(/^[\x21-\x7e]{16,512}$/, {
        error:
          "must be a random string of 16 to 512 ASCII characters without spaces, such as the output of `openssl rand -hex 32`",
      }),
    ),
    description: "bearer token of the admin API, for scripts and for commands with SNAP_ADMIN_URL",
    unset: "scripts have no access",
  },
  adminUrl: {
    variable: "SNAP_ADMIN_URL",
    schema: optional(serviceUrl()),
    description:
      "service whose admin API the commands accounts, tokens, batches and doctor use instead of the " +
      "storage; not for serve",
    unset: "they open the storage",
  },
  historyRetentionMs: {
    variable: "SNAP_HISTORY",
    schema: durationOr("off", { min: "1h", max: "90d" }),
    description: "how long requests are stored for the console and the admin API, or off",
    default: "7d",
  },
} as const satisfies Record<string, Setting>;
