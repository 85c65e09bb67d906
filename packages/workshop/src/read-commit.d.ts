/**
 * Returns the abbreviated commit of a checkout: `SOURCE_COMMIT`, for builds without the repository such as an image's,
 * or the commit that git reports; `null` if there is neither.
 */
export declare function readCommit(directory: string, environment?: NodeJS.ProcessEnv): string | null;
