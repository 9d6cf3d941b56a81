/**
 * Where an application may have people sent back to. Addresses are compared as text (RFC 9700
 * section 4.1.3), so only those are taken whose text is already what a browser makes of it: no
 * second spelling, no dots in the path, no tabs. The one exception is the port of a program on the
 * person's own machine, which it gets anew at every start (RFC 8252 section 7.3).
 */

const LONGEST = 500

/** Hosts of the person's own machine, as a browser writes them. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Schemes that run, read or compose something instead of handing an address to a program. */
const NO_PROGRAM: ReadonlySet<string> = new Set([
  'javascript',
  'data',
  'file',
  'blob',
  'vbscript',
  'about',
  'filesystem',
  'view-source',
  'mailto',
  'ftp',
  'ws',
  'wss',
  'jar',
  'livescript',
  'mocha',
  'chrome',
  'resource',
])

/**
 * What the answer adds; an address that has one of these already would give the application two.
 */
const ANSWER = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']

/** Why an application cannot be answered at this address; null when it can. */
export function redirectProblem(text: string): string | null {
  if (text.length > LONGEST) return `is longer than ${LONGEST} characters`
  if (!/^[\x21-\x7e]+$/.test(text)) return 'must not hold spaces or characters outside ASCII'
  if (/["<>\\^`{|}]/.test(text)) return 'holds a character that must be percent-encoded'
  if (text.includes('#')) return 'must not have a fragment'
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined || !URL.canParse(text)) return 'is not an absolute address'
  const url = new URL(text)
  if (url.href !== text && url.href !== `${text}/`)
    return `must be written as ${url.href.slice(0, LONGEST)}`
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/]*@/.test(text))
    return 'must not hold a name or password'
  for (const name of ANSWER)
    if (url.searchParams.has(name)) return `must not have the parameter ${name}`
  if (scheme === 'https')
    return url.hostname.endsWith('.') ? 'must not end its host with a dot' : null
  if (scheme === 'http')
    return LOOPBACK.has(url.hostname)
      ? null
      : 'must be https; http is only for localhost, 127.0.0.1 and [::1]'
  if (NO_PROGRAM.has(scheme)) return `must not have the scheme ${scheme}`
  return scheme.includes('.') || scheme.length >= 4
    ? null
    : 'has a scheme that is too short to belong to one program'
}

/** Whether an address leads to a program on the person's own machine. */
export function isLoopback(text: string): boolean {
  const url = new URL(text)
  return url.protocol === 'http:' && LOOPBACK.has(url.hostname)
}

/** Whether an address is one of those that a client named when it registered. */
export function isRegistered(text: string, registered: readonly string[]): boolean {
  if (redirectProblem(text) !== null) return false
  if (registered.includes(text)) return true
  if (!isLoopback(text)) return false
  const bare = withoutPort(text)
  return registered.some((one) => isLoopback(one) && withoutPort(one) === bare)
}

const withoutPort = (text: string): string =>
  text.replace(/^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d*/, '$1')

/** Who is at the other end, as a person is shown it: a host, or the scheme of a program. */
export function redirectHost(text: string): string {
  const url = new URL(text)
  return url.protocol === 'http:' || url.protocol === 'https:'
    ? url.host
    : url.protocol.slice(0, -1)
}

/** The address with the parameters of an answer; what it had stays as it is. */
export function answerAt(
  redirect_uri: string,
  parameters: Readonly<Record<string, string | null>>,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.set(name, value)
  return `${redirect_uri}${redirect_uri.includes('?') ? (/[?&]$/.test(redirect_uri) ? '' : '&') : '?'}${query.toString()}`
}
