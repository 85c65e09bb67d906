interface WithProcess {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
}

/** Returns an environment variable; `undefined` where there is no environment, or no permission to read it. */
export function readVariable(name: string): string | undefined {
  try {
    return (globalThis as WithProcess).process?.env?.[name];
  } catch {
    // Deno without --allow-env
    return undefined;
  }
}
