/** Artifacts of the job that calls, and of its run. */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { jobScope, type RunningJob } from '#features/workflows/index.ts'
import { forbidden, invalid, notFound, Refusal } from '#lib/errors.ts'
import type { ValueOf } from '#lib/protobuf.ts'
import { DAY } from '#lib/time.ts'
import { artifactAddress } from '../artifact-token.ts'
import { artifactsForJob, createArtifact, ownArtifact, requireFreeName } from '../job-artifacts.ts'
import { removeArtifact, type ArtifactRow } from '../store-artifacts.ts'
import { uploadAddress, type UploadClaims } from './addresses.ts'
import type * as messages from './messages.ts'
import { uploadName, uploads } from './uploads.ts'
import type { Call } from './twirp.ts'

const ZIP_TYPES = ['application/zip', 'application/x-zip-compressed']

/** Throws 403 for a request in the name of another job. */
function requireOwnIds(message: messages.BackendIds, { job_id, run_id }: RunningJob): void {
  const isOwn =
    message.workflow_run_backend_id === run_id && message.workflow_job_run_backend_id === job_id
  if (!isOwn) throw forbidden('role', 'this token acts for its own job only')
}

const claimsOf = ({ job_id }: RunningJob, name: string): UploadClaims => ({
  job_id,
  upload: uploadName('artifact', name),
})

export function beginArtifact({
  hearth,
  job,
  message,
}: Call<ValueOf<typeof messages.CreateArtifactRequest>>): ValueOf<
  typeof messages.CreateArtifactResponse
> {
  requireOwnIds(message, job)
  const { name, mime_type, expires_at } = message
  if (mime_type !== null && !ZIP_TYPES.includes(mime_type))
    throw invalid('mime_type', 'an artifact is a zip archive here: upload it with archive: true')
  requireFreeName(hearth, job.job_id, name)
  const days =
    expires_at === null ? null : Math.max(1, Math.round((expires_at - hearth.clock.now()) / DAY))
  const claims = claimsOf(job, name)
  uploads(hearth).begin(claims, days)
  return { ok: true, signed_upload_url: uploadAddress(hearth, claims) }
}

/** The SHA-256 that the client computed; null when it sent none. */
function digestOf(hash: string | null): string | null {
  const [, sha256 = null] = /^sha256:([0-9a-f]{64})$/.exec(hash ?? '') ?? []
  return sha256
}

/** The artifact of an upload that was finished before: clients repeat a call after a lost answer. */
function finishedBefore(
  hearth: Hearth,
  job_id: string,
  { name, size, hash }: ValueOf<typeof messages.FinalizeArtifactRequest>,
): ArtifactRow {
  const row = ownArtifact(hearth, job_id, name)
  const digest = digestOf(hash)
  if (row?.size_in_bytes !== size || (digest !== null && digest !== row.sha256))
    throw notFound(`the upload of the artifact ${name}`)
  return row
}

export async function finishArtifact({
  hearth,
  http,
  job,
  message,
}: Call<ValueOf<typeof messages.FinalizeArtifactRequest>>): Promise<
  ValueOf<typeof messages.FinalizeArtifactResponse>
> {
  requireOwnIds(message, job)
  const claims = claimsOf(job, message.name)
  const file = uploads(hearth).file(claims)
  if (!file) return { ok: true, artifact_id: finishedBefore(hearth, job.job_id, message).seq }
  if (file.size !== message.size)
    throw new Refusal('bad_request', `${file.size} bytes have arrived, not ${message.size}`)
  http.wait()
  const sha256 = digestOf(message.hash)
  const row = await createArtifact(hearth, job.job_id, {
    name: message.name,
    bytes: file.bytes,
    length: file.size,
    retentionDays: uploads(hearth).daysOf(claims),
    overwrite: false,
    signal: http.request.signal,
    ...(sha256 === null ? {} : { sha256 }),
  })
  await uploads(hearth).end(claims)
  return { ok: true, artifact_id: row.seq }
}

export function listForJob({
  hearth,
  job,
  message,
}: Call<ValueOf<typeof messages.ListArtifactsRequest>>): ValueOf<
  typeof messages.ListArtifactsResponse
> {
  requireOwnIds(message, job)
  const { name_filter, id_filter } = message
  const rows = artifactsForJob(hearth.db, job.job_id).filter(
    ({ name, seq }) =>
      (name_filter === null || name === name_filter) && (id_filter === null || seq === id_filter),
  )
  return {
    artifacts: rows.map(({ seq, name, size_in_bytes, created_at, sha256 }) => ({
      workflow_run_backend_id: job.run_id,
      // Clients ask for the file in the name of this job, which may be another than the maker.
      workflow_job_run_backend_id: job.job_id,
      database_id: seq,
      name,
      size: size_in_bytes,
      created_at: Date.parse(created_at),
      digest: sha256 === null ? null : `sha256:${sha256}`,
    })),
  }
}

function requireVisible(hearth: Hearth, job_id: string, name: string): ArtifactRow {
  const row = artifactsForJob(hearth.db, job_id).find((one) => one.name === name)
  if (!row) throw notFound(`the artifact ${name}`)
  return row
}

export function linkForJob({
  hearth,
  job,
  message,
}: Call<ValueOf<typeof messages.GetSignedArtifactURLRequest>>): ValueOf<
  typeof messages.GetSignedArtifactURLResponse
> {
  requireOwnIds(message, job)
  const row = requireVisible(hearth, job.job_id, message.name)
  return { signed_url: artifactAddress(hearth, row).url }
}

export async function deleteForJob({
  hearth,
  job,
  message,
}: Call<ValueOf<typeof messages.DeleteArtifactRequest>>): Promise<
  ValueOf<typeof messages.DeleteArtifactResponse>
> {
  requireOwnIds(message, job)
  const { id, seq } = requireVisible(hearth, job.job_id, message.name)
  await writeAs(hearth, null, (tx) => {
    jobScope(tx.db, job.job_id)
    removeArtifact(tx, id)
  })
  return { ok: true, artifact_id: seq }
}
