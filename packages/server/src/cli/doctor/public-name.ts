/** Reserved for documentation (RFC 2606, 3), but resolves. */
export const PUBLIC_NAME = "example.com";
