/**
 * Whom a proxy in front has signed in, as its headers say. Only a request whose own sender is one
 * of the proxies of the settings is believed; from anywhere else the same headers are a stranger's
 * words, and are not looked at. Addresses that a header claims (`X-Forwarded-For`) do not count
 * here.
 */
import type { Hearth } from '#core/hearth.ts'
import type { HeaderSignOn } from '#core/settings.ts'
import { isAmong } from '#lib/net.ts'
import { proxiesOf } from './exchange.ts'

export type Named = {
  readonly id: string
  readonly username: string
  readonly name: string | null
  readonly email: string | null
  /** Null when the proxy says nothing of groups. */
  readonly groups: readonly string[] | null
}

const LONGEST = 1000
const MOST_GROUPS = 1000

/**
 * Headers arrive as bytes, one character each; proxies write UTF-8 in them. What is not valid UTF-8
 * stays as it came.
 */
function decoded(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

function valueOf(request: Request, header: string | null): string | null {
  const value = header === null ? null : request.headers.get(header)
  const text = value === null ? '' : decoded(value).trim()
  return text === '' || text.length > LONGEST ? null : text
}

function groupsOf(
  request: Request,
  { groups_header, groups_separator }: HeaderSignOn,
): string[] | null {
  const value = groups_header === null ? null : request.headers.get(groups_header)
  return value === null
    ? null
    : decoded(value)
        .split(groups_separator)
        .map((group) => group.trim())
        .filter((group) => group !== '')
        .slice(0, MOST_GROUPS)
}

/**
 * Null for a request that no trusted proxy sent, and for one that names nobody. `peer` is the
 * address of the connection itself.
 *
 * A name that comes twice is nobody's: a proxy that adds its header without taking the client's
 * away would let the client name itself. A repeated header arrives with a comma, which no username
 * and no identifier holds.
 */
export function namedByProxy(
  hearth: Pick<Hearth, 'settings' | 'log'>,
  request: Request,
  peer: string | null,
): Named | null {
  const header = hearth.settings.sso.header
  if (header === null || peer === null || !isAmong(peer, proxiesOf(hearth))) return null
  const username = valueOf(request, header.username_header)
  const id =
    header.id_header === null ? username?.toLowerCase() : valueOf(request, header.id_header)
  if (username === null || !id) return null
  const email = valueOf(request, header.email_header)
  const twice = [
    [header.username_header, username],
    [header.id_header, id],
    [header.email_header, email],
  ].find(([, value]) => value?.includes(','))
  if (twice) {
    hearth.log.warn(
      'the proxy names somebody twice: it must take this header away from what clients send',
      { header: twice[0] },
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
