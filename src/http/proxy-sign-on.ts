/**
 * Sign-on by a proxy: the user that a reverse proxy has signed in, as its headers say. They count
 * only if the connection itself comes from a trusted proxy of the settings. From any other address
 * the same headers are ignored. Addresses that a header claims (`X-Forwarded-For`) do not count.
 */
import type { Hearth } from '#core/hearth.ts'
import type { HeaderSignOn } from '#core/settings.ts'
import { isAmong } from '#lib/net.ts'
import { parseTrustedProxies } from './exchange.ts'

export type ProxyIdentity = {
  readonly id: string
  readonly username: string
  readonly name: string | null
  readonly email: string | null
  /** Null when the proxy sends no groups. */
  readonly groups: readonly string[] | null
}

const MAX_VALUE_LENGTH = 1000
const MAX_GROUPS = 1000

/**
 * Headers arrive as one character for each byte, and proxies send UTF-8 in them. Other bytes stay
 * as they are.
 */
function decodeUtf8(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

function valueOf(request: Request, header: string | null): string | null {
  const value = header === null ? null : request.headers.get(header)
  const text = value === null ? '' : decodeUtf8(value).trim()
  return text === '' || text.length > MAX_VALUE_LENGTH ? null : text
}

function groupsOf(
  request: Request,
  { groups_header, groups_separator }: HeaderSignOn,
): string[] | null {
  const value = groups_header === null ? null : request.headers.get(groups_header)
  return value === null
    ? null
    : decodeUtf8(value)
        .split(groups_separator)
        .map((group) => group.trim())
        .filter((group) => group !== '')
        .slice(0, MAX_GROUPS)
}

/**
 * The user that the proxy names; null if it names none, or if no trusted proxy sent the request.
 * `peerAddress` is the address of the connection itself.
 *
 * A repeated header names nobody: a proxy that adds its header without removing the client's would
 * let clients choose who they are. A repeated header arrives with a comma, which no username and no
 * identifier contains.
 */
export function proxyIdentityOf(
  hearth: Pick<Hearth, 'settings' | 'log'>,
  request: Request,
  peerAddress: string | null,
): ProxyIdentity | null {
  const header = hearth.settings.sso.header
  if (header === null || peerAddress === null) return null
  if (!isAmong(peerAddress, parseTrustedProxies(hearth.settings))) return null
  const username = valueOf(request, header.username_header)
  const id =
    header.id_header === null ? username?.toLowerCase() : valueOf(request, header.id_header)
  if (username === null || !id) return null
  const email = valueOf(request, header.email_header)
  const repeated = [
    [header.username_header, username],
    [header.id_header, id],
    [header.email_header, email],
  ].find(([, value]) => value?.includes(','))
  if (repeated) {
    hearth.log.warn(
      'the proxy sends a header twice: it must remove this header from what clients send',
      { header: repeated[0] },
    )
    return null
  }
  return {
    id,
    username,
    name: valueOf(request, header.name_header),
    email,
    groups: groupsOf(request, header),
  }
}
