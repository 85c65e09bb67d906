import type { Config } from "../../config.ts";
import { ok, problem, warning, type Finding } from "../../findings/finding.ts";
import { storesOf } from "../../wire.ts";

/** Requests the bucket of each store, without changing it. */
export async function checkStores(config: Config): Promise<readonly Finding[]> {
  const stores = storesOf(config);
  return Promise.all(
    config.stores.map(async ({ name, endpoint, bucket }) => {
      const failure = (await stores.get(name)?.store.check()) ?? null;
      const store = `${name} (bucket ${bucket} at ${endpoint})`;
      if (failure === null) return ok("object store", store);
      const message = `${store}: ${failure.detail}`;
      const permissionHint = name === config.objectStore ? "" : ", which only this check needs";
      if (failure.reason === "refused")
        return warning(
          "store_refuses",
          message,
          `correct ${name} in SNAP_STORES_FILE: 403 means wrong credentials, or that they lack s3:ListBucket${permissionHint}; 404, a missing bucket; 301 or 400, another region`,
        );
      return problem(
        "store_unavailable",
        message,
        `correct the endpoint of ${name} in SNAP_STORES_FILE, and check that this machine can reach it`,
      );
    }),
  );
}
