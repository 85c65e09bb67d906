import { once } from "node:events";
import { connect } from "node:net";

/** Sends `head`, then `block` again and again, until the service closes the connection. */
export async function floodUntilClosed(
  origin: string,
  { head, block }: { readonly head: string; readonly block: string },
): Promise<void> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(head);
  const feed = (): void => {
    let hasRoom = true;
    while (hasRoom && socket.writable) hasRoom = socket.write(block);
  };
  socket.on("drain", feed);
  feed();
  await closed;
}
