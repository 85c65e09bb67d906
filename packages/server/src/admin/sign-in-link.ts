import type { Engine } from "@snap/engine";

/** Creates a sign-in link. Browsers do not send the fragment, so logs do not contain the code. */
export async function createSignInLink(
  { operators }: Pick<Engine, "operators">,
  publicUrl: string,
): Promise<{ readonly url: string; readonly expiresAt: number }> {
  const { code, expiresAt } = await operators.createLink();
  return { url: `${publicUrl}/console/#sign-in=${code}`, expiresAt };
}
