/** Settings of backups and of the bucket for packs and release files. */
import type { Settings } from '#core/settings.ts'
import { parseBucket } from '#lib/bucket.ts'
import { duration } from '#lib/time.ts'
import { ConfigError, type ConfigValues } from './config-values.ts'

const spanMs = (span: string | null): number | null => (span === null ? null : duration(span))

export function backupSettings(values: ConfigValues): Settings['backups'] {
  const to = values.get('backups.to')
  const identity = values.get('backups.identity')
  const access_key = values.get('backups.s3_access_key')
  const secret_key = values.get('backups.s3_secret_key')
  return {
    to: to === null || to.includes('://') ? to : values.resolvePath(to),
    every_ms: spanMs(values.get('backups.every')),
    verify_every_ms: spanMs(values.get('backups.verify_every')),
    keep: {
      last: values.get('backups.keep_last'),
      daily: values.get('backups.keep_daily'),
      weekly: values.get('backups.keep_weekly'),
      monthly: values.get('backups.keep_monthly'),
    },
    recipients: values.get('backups.recipients'),
    identity: identity === null ? null : values.resolvePath(identity),
    s3:
      access_key === null || secret_key === null
        ? null
        : {
            endpoint: values.get('backups.s3_endpoint'),
            region: values.get('backups.s3_region'),
            access_key,
            secret_key,
          },
  }
}

/** Throws ConfigError for an address that is no bucket, and for a bucket without its keys. */
export function storageSettings(values: ConfigValues): Settings['storage'] {
  const address = values.get('storage.bucket')
  const access_key = values.get('storage.access_key')
  const secret_key = values.get('storage.secret_key')
  if (address === null) return null
  const bucket = parseBucket(address)
  if (!bucket)
    throw new ConfigError(
      `storage.bucket must be s3://BUCKET or s3://BUCKET/FOLDER, not ${JSON.stringify(address)}`,
    )
  if (access_key === null || secret_key === null)
    throw new ConfigError(
      'storage.bucket needs storage.access_key and storage.secret_key: set both',
    )
  return {
    ...bucket,
    s3: {
      endpoint: values.get('storage.endpoint'),
      region: values.get('storage.region'),
      access_key,
      secret_key,
    },
    local_bytes: values.get('storage.local_bytes'),
  }
}
