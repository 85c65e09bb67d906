/** Below 1024 live the services of systems, of which 80 and 443 are the web's (RFC 6335, 6). */
export function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || port >= 1024;
}
