/** Cookies of a request (RFC 6265 section 5.4) and their names. */

/**
 * The name of a cookie. On https it has the prefix `__Host-`, which binds the cookie to this host
 * and to TLS (RFC 6265bis section 4.1.3.2).
 */
export const hostCookie = (secure: boolean, plain: string): string =>
  secure ? `__Host-${plain}` : plain

/**
 * The values of a cookie in a `Cookie` header, in their order. There are several when cookies of
 * several paths or hosts have the same name.
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
