/** The state of the bucket: one line for administrators, and metrics. */
import type { Condition, Gauge } from '#core/gauges.ts'
import type { Hearth } from '#core/hearth.ts'
import { countJobs } from '#core/jobs.ts'
import { bytesText } from '#lib/bytes-text.ts'
import { copyToBucket } from './copy-job.ts'
import { BucketStorage } from './bucket-storage.ts'
import { sumStored } from './store.ts'

const bucketCondition = (state: Condition['state'], detail: string): Condition => ({
  name: 'bucket',
  state,
  detail,
  href: '/admin/jobs?kind=copy_to_bucket',
})

const countWaitingCopies = (hearth: Hearth): number =>
  countJobs(hearth.db).reduce(
    (sum, { kind, state, count }) =>
      sum + (kind === copyToBucket.kind && state !== 'failed' ? count : 0),
    0,
  )

/** Null without a bucket. */
export function condition(hearth: Hearth): Condition | null {
  const { storage, settings } = hearth
  if (!(storage instanceof BucketStorage)) return null
  const { bytes, local, away } = sumStored(hearth.db)
  if (storage.address === null)
    return bucketCondition(
      'failing',
      `${bytesText(away)} of packs and files are in a bucket only, and storage.bucket is not set.`,
    )
  const left = countWaitingCopies(hearth)
  const most = settings.storage?.local_bytes ?? null
  const sums = `${bytesText(bytes)} are in ${storage.address}, ${bytesText(local)} of it on this machine too${most === null ? '' : ` (${bytesText(most)} may be)`}, ${bytesText(away)} only there.`
  const queue =
    left === 0
      ? 'Nothing waits.'
      : `${left} ${left === 1 ? 'copy waits' : 'copies wait'} or ${left === 1 ? 'is' : 'are'} under way.`
  if (storage.lastFailure)
    return bucketCondition(
      'failing',
      `${sums} ${queue} Since ${storage.lastFailure.at}: ${storage.lastFailure.message}.`,
    )
  if (!storage.isOwner)
    return bucketCondition(
      'attention',
      `${sums} Another data directory had this bucket before: nothing is taken out of it, and nothing leaves this disk, until hearth doctor --fix says that this one has it now.`,
    )
  return bucketCondition('ok', `${sums} ${queue}`)
}

const gauge = (name: string, help: string, read: (hearth: Hearth) => number): Gauge => ({
  name: `storage_${name}`,
  help,
  read: (hearth) => (hearth.storage instanceof BucketStorage ? read(hearth) : 0),
})

export const storageGauges: readonly Gauge[] = [
  gauge(
    'bucket_bytes',
    'Bytes of packs and uploaded files in the bucket.',
    ({ db }) => sumStored(db).bytes,
  ),
  gauge(
    'away_bytes',
    'Bytes of these that are not on this machine.',
    ({ db }) => sumStored(db).away,
  ),
  gauge(
    'copies_waiting',
    'Stores and uploaded files that wait to be copied to the bucket.',
    countWaitingCopies,
  ),
]
