import { createClient } from "@snap/client";

interface Env {
  readonly SNAP_BASE_URL: string;
  readonly SNAP_TOKEN: string;
  readonly SITE_URL: string;
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const snap = createClient({ baseUrl: env.SNAP_BASE_URL, token: env.SNAP_TOKEN });
    const { pathname } = new URL(request.url);
    const { response } = await snap.screenshot({ url: env.SITE_URL + pathname }, { as: "response" });
    return response;
  },
};
