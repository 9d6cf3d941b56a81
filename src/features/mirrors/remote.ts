/** Access to the remote of a link: its credentials, and what counts as present in a fetch. */
import type { Hearth } from '#core/hearth.ts'
import type { RefSnapshot } from '#git'
import { seal, unseal } from '#features/accounts/index.ts'
import { writeAs } from '#core/write.ts'
import { isSshAddress, refsOf, type RemoteAccess, type SshAccess } from '#features/repos/index.ts'
import { RemoteError } from '#git'
import { randomToken } from '#lib/hash.ts'
import { listHiddenRefs } from './store-refs.ts'
import { newEd25519Key } from '#lib/ssh/ed25519-key.ts'
import { findMirror, setMirror, type MirrorChange, type MirrorRow } from './store.ts'

const purposeOf = (id: string): string => `mirror ${id}`
const keyPurposeOf = (id: string): string => `mirror key ${id}`

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

/** What a link to an address of SSH stores: a key pair of its own. Nothing for other addresses. */
export function newSshKey(hearth: Hearth, id: string, url: string): MirrorChange {
  if (!isSshAddress(url)) return {}
  const { pem, line } = newEd25519Key()
  return {
    ssh_key: seal(hearth, keyPurposeOf(id), pem),
    ssh_public_key: `${line} ${new URL(hearth.settings.site_url).hostname}`,
  }
}

/** The key of a link, and the host key that was seen first. */
export function sshAccess(hearth: Hearth, { id, ssh_key }: MirrorRow): SshAccess {
  const privateKey = ssh_key === null ? null : unseal(hearth, keyPurposeOf(id), ssh_key)
  if (privateKey === null)
    throw new RemoteError(
      'invalid',
      'the key of this mirror cannot be read with this installation key: create the mirror again',
    )
  return {
    privateKey,
    hostKey: findMirror(hearth.db, id)?.host_key ?? null,
    onHostKey: (host_key) =>
      void writeAs(hearth, null, (tx) => {
        if (findMirror(tx.db, id)?.host_key === null) setMirror(tx, id, { host_key })
      }).catch((error: unknown) =>
        hearth.log.error('a host key was not stored', { mirror: id, error }),
      ),
  }
}

export const remoteAccess = (hearth: Hearth, row: MirrorRow): RemoteAccess =>
  isSshAddress(row.url)
    ? { url: row.url, secret: null, ssh: sshAccess(hearth, row) }
    : { url: row.url, secret: openCredentials(hearth, row) }

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
