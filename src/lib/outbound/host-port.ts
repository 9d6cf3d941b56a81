/** A host with a port, as lists of hosts in settings name them. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/
const DEFAULT_PORT = 443

/**
 * The normal form of `host` or `host:port`, always with the port, 443 unless given. Null for
 * anything else, such as an address with a path or a pattern.
 */
export function parseHostPort(text: string): string | null {
  const url = URL.parse(`https://${text}`)
  if (url === null || url.href.slice('https://'.length) !== `${url.host}/`) return null
  if (!HOST.test(url.hostname) || /[/?#@\\]/.test(text)) return null
  return `${url.hostname}:${url.port || DEFAULT_PORT}`
}
