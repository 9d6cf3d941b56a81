/** Artifacts as a job sees them: it makes some, and reads those of its run. */
import { localBlob, storeBlob } from '#core/blobs.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { typeId } from '#core/ids.ts'
import { writeAs } from '#core/write.ts'
import { jobScope, type JobScope } from '#features/workflows/index.ts'
import { requireQuota } from '#features/workspaces/index.ts'
import { conflict, invalid, notFound } from '#lib/errors.ts'
import { DAY } from '#lib/time.ts'
import { evictCachesOverQuota, requireActionsQuota } from './actions-quota.ts'
import {
  countArtifacts,
  findArtifact,
  findArtifactByName,
  insertArtifact,
  listVisibleArtifacts,
  removeArtifact,
  type ArtifactRow,
} from './store-artifacts.ts'

const MAX_ARTIFACT_BYTES = 10 * 1024 ** 3
/** Of all attempts of a run. */
const MAX_ARTIFACTS = 1_000
const MAX_NAME_CHARS = 255

/** Characters that file systems refuse, as upload-artifact does, and control characters. */
const FORBIDDEN = /["<>|*?\\/:\p{Cc}]/u
/** A download of all artifacts makes a folder of each name, and these lead out of it. */
const FOLDERS = new Set(['.', '..'])

/** Throws 422 for a name that cannot be a file. */
export function requireArtifactName(name: string): void {
  if (name === '') throw invalid('name', 'an artifact needs a name')
  if (name.length > MAX_NAME_CHARS)
    throw invalid('name', `the name of an artifact has at most ${MAX_NAME_CHARS} characters`)
  if (FOLDERS.has(name)) throw invalid('name', `an artifact cannot have the name ${name}`)
  if (FORBIDDEN.test(name))
    throw invalid('name', `the name ${name} contains a character that file names cannot have`)
}

export type NewArtifact = {
  readonly name: string
  /** A zip archive. */
  readonly bytes: AsyncIterable<Uint8Array>
  readonly length?: number | null
  /** The SHA-256 that the archive must have, in hex digits. */
  readonly sha256?: string
  /** As many days as the forge keeps artifacts unless given, and at most so many. */
  readonly retentionDays: number | null
  /** Whether one of the same name is replaced. */
  readonly overwrite: boolean
  readonly signal?: AbortSignal
}

/**
 * The artifact that one of this name replaces; null when there is none. Throws 409 for a name that
 * the attempt has already, unless the same job made it in an earlier run.
 */
function replacedArtifact(
  db: Db,
  scope: JobScope,
  name: string,
  overwrite: boolean,
): ArtifactRow | null {
  const found = findArtifactByName(db, scope.run_id, scope.attempt, name)
  if (!found) {
    if (countArtifacts(db, scope.run_id) >= MAX_ARTIFACTS)
      throw conflict('limit_reached', `a run has at most ${MAX_ARTIFACTS} artifacts`)
    return null
  }
  if (!overwrite && !isOfEarlierRun(found, scope))
    throw conflict(
      'already_exists',
      `the run has an artifact ${name} already: choose another name, or set overwrite to true`,
    )
  return found
}

const isOfEarlierRun = (row: ArtifactRow, { job_key, started_at }: JobScope): boolean =>
  row.job_key === job_key && row.created_at < (started_at ?? row.created_at)

/** Throws 422 for a name that cannot be one, and 409 for one that the job cannot make. */
export function requireFreeName(hearth: Hearth, job_id: string, name: string): void {
  requireArtifactName(name)
  const scope = jobScope(hearth.db, job_id)
  replacedArtifact(hearth.db, scope, name, false)
  requireArtifactsQuota(hearth, hearth.db, scope.workspace_id, 0)
}

/** Throws 403 `quota` for an artifact that is larger than what the workspace may still have. */
function requireArtifactsQuota(hearth: Hearth, db: Db, workspace_id: string, size: number): void {
  requireQuota(hearth, db, workspace_id, 'artifacts_bytes', size)
  requireActionsQuota(hearth, db, workspace_id, size)
}

/** What the job has made under a name since it began; null for nothing. */
export function ownArtifact({ db }: Hearth, job_id: string, name: string): ArtifactRow | null {
  const scope = jobScope(db, job_id)
  const found = findArtifactByName(db, scope.run_id, scope.attempt, name)
  return found?.job_key === scope.job_key && !isOfEarlierRun(found, scope) ? found : null
}

/** Stores an artifact of a job that runs. */
export async function createArtifact(
  hearth: Hearth,
  job_id: string,
  { name, bytes, length = null, sha256, retentionDays, overwrite, signal }: NewArtifact,
): Promise<ArtifactRow> {
  requireArtifactName(name)
  const scope = jobScope(hearth.db, job_id)
  const { workspace_id } = scope
  requireArtifactsQuota(hearth, hearth.db, workspace_id, length ?? 0)
  const blob = await storeBlob(hearth, bytes, {
    maxBytes: MAX_ARTIFACT_BYTES,
    length,
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(signal ? { signal } : {}),
  })
  const maxDays = hearth.settings.jobs.keep_days
  const days = Math.min(retentionDays ?? maxDays, maxDays)
  return writeAs(hearth, null, (tx) => {
    // It may have ended meanwhile.
    jobScope(tx.db, job_id)
    const replaced = replacedArtifact(tx.db, scope, name, overwrite)
    if (replaced) removeArtifact(tx, replaced.id)
    requireArtifactsQuota(hearth, tx.db, workspace_id, blob.size)
    evictCachesOverQuota(tx, workspace_id, blob.size)
    const id = typeId('art', tx.now_ms)
    insertArtifact(tx, {
      id,
      repo_id: scope.repo_id,
      run_id: scope.run_id,
      attempt: scope.attempt,
      job_key: scope.job_key,
      name,
      size_in_bytes: blob.size,
      sha256: blob.sha256,
      lifetimeMs: days * DAY,
    })
    const row = findArtifact(tx.db, id)
    if (!row) throw new TypeError('the artifact that was just added is gone')
    return row
  })
}

/** Those that a job can download, by name. */
export function artifactsForJob(db: Db, job_id: string): ArtifactRow[] {
  const { run_id, attempt } = jobScope(db, job_id)
  return listVisibleArtifacts(db, run_id, attempt, MAX_ARTIFACTS)
}

/** The zip archive of an artifact. Throws 404 when its file is missing. */
export async function artifactFile(
  hearth: Hearth,
  row: Pick<ArtifactRow, 'name' | 'sha256'>,
): Promise<string> {
  const path = row.sha256 === null ? null : await localBlob(hearth, row.sha256)
  if (path === null) throw notFound(`the files of the artifact ${row.name}`)
  return path
}
