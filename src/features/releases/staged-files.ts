/**
 * Files of a release that does not exist yet. Their bytes are stored as blobs, and a sealed token
 * names them until the release is created. Blobs that no row names are deleted after a day.
 */
import type { RepoGrant } from '#core/access.ts'
import { localBlob } from '#core/blobs.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { typeId } from '#core/ids.ts'
import type { Tx } from '#core/write.ts'
import { sealUntil, unsealFresh } from '#features/accounts/index.ts'
import { requireQuota } from '#features/workspaces/index.ts'
import { invalid } from '#lib/errors.ts'
import { HOUR } from '#lib/time.ts'
import { insertAsset } from './store-assets.ts'

const PURPOSE = 'staged-release-file'
/** Shorter than the time after which an unnamed blob is deleted. */
const LIFETIME_MS = 12 * HOUR

export type StagedFile = {
  readonly name: string
  readonly content_type: string
  readonly size_in_bytes: number
  readonly sha256: string
}

type Held = StagedFile & { readonly repo: string; readonly by: string }

type Place = { readonly repo: Pick<RepoGrant, 'id'>; readonly caller: SignedIn }

/** The token of a stored file, for this person and repository alone. */
export const stagedToken = (hearth: Hearth, { repo, caller }: Place, file: StagedFile): string =>
  sealUntil(hearth, PURPOSE, hearth.clock.now() + LIFETIME_MS, {
    ...file,
    repo: repo.id,
    by: caller.id,
  } satisfies Held)

const chooseAgain = (name: string) =>
  invalid('files', `${name} was chosen too long ago: choose it again`)

/** Null for a token that is not valid here, or no longer. */
export function findStaged(
  hearth: Hearth,
  { repo, caller }: Place,
  token: string,
): StagedFile | null {
  const held = unsealFresh<Held>(hearth, PURPOSE, token)
  return held?.repo === repo.id && held.by === caller.id ? held : null
}

/** Opens tokens. Throws 422 for one that is not valid here, and for two files of one name. */
export function readStaged(hearth: Hearth, place: Place, tokens: readonly string[]): StagedFile[] {
  const names = new Set<string>()
  return tokens.map((token) => {
    const held = findStaged(hearth, place, token)
    if (!held) throw chooseAgain('a file')
    if (names.has(held.name)) throw invalid('files', `two of the files are named ${held.name}`)
    names.add(held.name)
    return held
  })
}

/** Throws 422 for a file whose bytes are gone. */
export async function requireStagedBytes(
  hearth: Hearth,
  files: readonly StagedFile[],
): Promise<void> {
  for (const { name, sha256 } of files)
    if ((await localBlob(hearth, sha256)) === null) throw chooseAgain(name)
}

export function addStagedFile(
  tx: Tx,
  repo: Pick<RepoGrant, 'workspace_id'>,
  release: { readonly id: string; readonly uploader_id: string },
  { name, content_type, size_in_bytes, sha256 }: StagedFile,
): void {
  requireQuota(tx.hearth, tx.db, repo.workspace_id, 'artifacts_bytes', size_in_bytes)
  insertAsset(tx, {
    id: typeId('ast', tx.now_ms),
    release_id: release.id,
    name,
    label: null,
    content_type,
    size_in_bytes,
    sha256,
    uploader_id: release.uploader_id,
  })
}
