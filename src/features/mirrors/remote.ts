/** Access to the remote of a link: its credentials, and what counts as present in a fetch. */
import type { Hearth } from '#core/hearth.ts'
import type { RefSnapshot } from '#git'
import { seal, unseal } from '#features/accounts/index.ts'
import { refsOf, type RemoteAccess } from '#features/repos/index.ts'
import { RemoteError } from '#git'
import { randomToken } from '#lib/hash.ts'
import { listHiddenRefs } from './store-refs.ts'
import type { MirrorRow } from './store.ts'

const purposeOf = (id: string): string => `mirror ${id}`

/** A token, or `name:password` when a username is given. Null for neither. */
export function joinCredentials(
  username: string | undefined,
  secret: string | undefined,
): string | null {
  if (secret === undefined || secret === '') return null
  return username === undefined || username === '' ? secret : `${username}:${secret}`
}

export const sealCredentials = (
  hearth: Hearth,
  id: string,
  secret: string | null,
): string | null => (secret === null ? null : seal(hearth, purposeOf(id), secret))

/** The credentials of a link. Throws RemoteError when this installation cannot read them. */
export function openCredentials(
  hearth: Hearth,
  { id, secret }: Pick<MirrorRow, 'id' | 'secret'>,
): string | null {
  if (secret === null) return null
  const opened = unseal(hearth, purposeOf(id), secret)
  if (opened === null)
    throw new RemoteError(
      'invalid',
      'the token of this mirror cannot be read with this installation key: set it again',
    )
  return opened
}

export const remoteAccess = (hearth: Hearth, row: MirrorRow): RemoteAccess => ({
  url: row.url,
  secret: openCredentials(hearth, row),
})

/** Visible refs and hidden commits together, so that a fetch asks only for what is new. */
export function presentRefs(hearth: Hearth, repo_id: string): RefSnapshot {
  const visible = refsOf(hearth, repo_id)
  const hidden = listHiddenRefs(hearth.db, repo_id)
  return hidden.length === 0
    ? visible
    : {
        generation: `${repo_id}.${randomToken(12)}`,
        head: visible.head,
        refs: [...visible.refs, ...hidden],
      }
}
