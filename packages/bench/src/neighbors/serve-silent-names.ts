import { openNameServer } from "../../../testing/test/servers/name-server.ts";

/*
 * A name server in a separate process. It never responds to queries for names under
 * `silent.example.com`, and returns NXDOMAIN for all others. Prints its address.
 */

const { address } = await openNameServer(({ name }) =>
  name.endsWith(".silent.example.com") ? "silent" : "NXDOMAIN",
);
console.log(address);
