/** Cookies of a request (RFC 6265 section 5.4), and their names. */

/**
 * On https a name carries the prefix `__Host-`, which binds the cookie to this host and to TLS (RFC
 * 6265bis section 4.1.3.2).
 */
export const hostCookie = (secure: boolean, plain: string): string =>
  secure ? `__Host-${plain}` : plain

/**
 * The values that a `Cookie` header gives a name, in their order; more than one comes from cookies
 * of several paths or hosts.
 */
export function cookieValues(header: string | null, name: string): string[] {
  if (header === null) return []
  const values: string[] = []
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals > 0 && pair.slice(0, equals).trim() === name)
      values.push(pair.slice(equals + 1).trim())
  }
  return values
}
