import { createSocket } from "node:dgram";

/*
 * A name server in a separate process. It never responds for names under `silent.example.com`, and returns NXDOMAIN for
 * all others. Prints the port.
 */

/** DNS header flags: a response, recursion available, NXDOMAIN (RFC 1035, 4.1.1). */
const NO_SUCH_NAME = 0x8183;
const SILENT = Buffer.from("\x06silent\x07example\x03com\x00", "latin1");

const server = createSocket("udp4", (query, { port, address }) => {
  if (query.includes(SILENT)) return;
  const response = Buffer.from(query);
  response.writeUInt16BE(NO_SUCH_NAME, 2);
  server.send(response, port, address);
});
server.bind(0, "127.0.0.1", () => console.log(server.address().port));
