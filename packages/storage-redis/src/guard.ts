/**
 * Returns a callback whose errors and rejections become process warnings: they must not look like failures of Redis, or
 * end the process.
 */
export function guard<T>(callback: (value: T) => void): (value: T) => void {
  const call = async (value: T): Promise<void> => callback(value);
  const warn = (error: unknown): void => process.emitWarning(error instanceof Error ? error : String(error));
  return (value) => void call(value).catch(warn);
}
