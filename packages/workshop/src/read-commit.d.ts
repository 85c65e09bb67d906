/**
 * Returns the abbreviated commit of a checkout: `SOURCE_COMMIT`, for builds without the repository such as an image's, or
 * what git says; `null` without either.
 */
export declare function readCommit(directory: string, environment?: NodeJS.ProcessEnv): string | null;
