/**
 * Validates redirect URIs. They are compared as text (RFC 9700 section 4.1.3), so only URIs in a
 * browser's canonical form are accepted: no alternative spelling, no dot segments, no tabs. One
 * exception: the port of a loopback URI may differ, because a native program gets a new one at each
 * start (RFC 8252 section 7.3).
 */

const MAX_ADDRESS_LENGTH = 500

/** Loopback hosts in a browser's canonical form. */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Schemes that a browser or the system handles itself. An address of another application would
 * start a program with the code in its arguments, or show it to somebody else. The list has the
 * schemes that browsers refuse to open, those of known attacks (`ms-msdt`, `search-ms`), and those
 * of programs that every system brings.
 */
const FORBIDDEN_SCHEMES: ReadonlySet<string> = new Set(
  `javascript data file blob vbscript about filesystem view-source livescript mocha jar resource
  cid content wyciwyg ie.http feed intent android-app market itms itms-apps itms-services
  hcp shell search search-ms help x-man-page applescript wscript powershell cmdkey
  onenote onenote-cmd outlook windowsdefender bingmaps bingweather xbox
  disk disks nntp news vnd.ms.radio urn jnlp jnlps java
  mailto callto facetime facetime-audio imessage skype
  ftps sftp tftp scp telnet tn3270 rlogin gopher ldap ldaps cifs nfs webcal webdav davs
  git+ssh svn+ssh ircs magnet ed2k bitcoin`.split(/\s+/),
)

/** Families of such schemes. Windows has over a hundred that begin with `ms-`. */
const FORBIDDEN_FAMILIES = /^(ms-|microsoft[.-]|windows[.-]|x-apple|chrome|moz-|edge|devtools)/

/** The parameters of the response. A redirect URI must not contain them already. */
const RESPONSE_PARAMETERS = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']

/** Why a redirect URI is invalid. Null when it is valid. */
export function redirectProblem(text: string): string | null {
  if (text.length > MAX_ADDRESS_LENGTH) return `is longer than ${MAX_ADDRESS_LENGTH} characters`
  if (!/^[\x21-\x7e]+$/.test(text)) return 'must not hold spaces or characters outside ASCII'
  if (/["<>\\^`{|}]/.test(text)) return 'holds a character that must be percent-encoded'
  if (text.includes('#')) return 'must not have a fragment'
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined || !URL.canParse(text)) return 'is not an absolute address'
  const url = new URL(text)
  if (url.href !== text && url.href !== `${text}/`)
    return `must be written as ${url.href.slice(0, MAX_ADDRESS_LENGTH)}`
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/]*@/.test(text))
    return 'must not hold a name or password'
  for (const name of RESPONSE_PARAMETERS)
    if (url.searchParams.has(name)) return `must not have the parameter ${name}`
  if (scheme === 'https')
    return url.hostname.endsWith('.') ? 'must not end its host with a dot' : null
  if (scheme === 'http')
    return LOOPBACK_HOSTS.has(url.hostname)
      ? null
      : 'must be https; http is only for localhost, 127.0.0.1 and [::1]'
  if (FORBIDDEN_SCHEMES.has(scheme) || FORBIDDEN_FAMILIES.test(scheme))
    return `must not have the scheme ${scheme}`
  return scheme.includes('.') || scheme.length >= 4
    ? null
    : 'has a scheme that is too short to belong to one program'
}

/** Whether a redirect URI leads to a program on the user's own machine. */
export function isLoopback(text: string): boolean {
  const url = new URL(text)
  return url.protocol === 'http:' && LOOPBACK_HOSTS.has(url.hostname)
}

/** Whether a redirect URI is one that the client registered. */
export function isRegistered(text: string, registered: readonly string[]): boolean {
  if (redirectProblem(text) !== null) return false
  if (registered.includes(text)) return true
  if (!isLoopback(text)) return false
  const bare = withoutPort(text)
  return registered.some((one) => isLoopback(one) && withoutPort(one) === bare)
}

const withoutPort = (text: string): string =>
  text.replace(/^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d*/, '$1')

/** The receiver of a redirect as users see it: a host, or the scheme of a program. */
export function redirectHost(text: string): string {
  const url = new URL(text)
  return url.protocol === 'http:' || url.protocol === 'https:'
    ? url.host
    : url.protocol.slice(0, -1)
}

/** Appends the parameters of a response to a redirect URI and keeps its own. */
export function addRedirectParameters(
  redirect_uri: string,
  parameters: Readonly<Record<string, string | null>>,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.set(name, value)
  const hasOpenQuery = /[?&]$/.test(redirect_uri)
  const separator = !redirect_uri.includes('?') ? '?' : hasOpenQuery ? '' : '&'
  return `${redirect_uri}${separator}${query.toString()}`
}
