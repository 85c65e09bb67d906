import { systemResolver } from "@snap/engine";
import { ok, reasonOf, warning, type Finding } from "./finding.ts";

/** Reserved for documentation (RFC 2606, 3), and it resolves. */
const NAME = "example.com";
const TIMEOUT_MS = 5_000;

/** Names of the internet resolve, by this machine's own resolver; nothing else is asked. */
export async function checkNames(): Promise<Finding> {
  try {
    const addresses = await Promise.race([systemResolver.resolve(NAME), giveUp()]);
    return ok("name resolution", `${NAME} has ${addresses.length} addresses`);
  } catch (error) {
    return warning(
      "name resolution",
      `${NAME} does not resolve (${reasonOf(error)}): pages of the internet can't be rendered`,
      "look at /etc/resolv.conf and at this machine's way to the internet; pages of your own network don't need it",
    );
  }
}

function giveUp(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS).unref();
  });
}
