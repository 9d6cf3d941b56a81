/** Settings of backups, of the bucket for packs and release files, and of the standby. */
import type { Settings } from '#core/settings.ts'
import { parseBucket } from '#lib/bucket.ts'
import { duration, SECOND } from '#lib/time.ts'
import { parseListenAddress } from './config-tls.ts'
import { ConfigError, type ConfigValues } from './config-values.ts'

/** Everything about copies of the data. Throws ConfigError. */
export const copySettings = (
  values: ConfigValues,
): Pick<Settings, 'backups' | 'storage' | 'standby'> => ({
  backups: backupSettings(values),
  storage: storageSettings(values),
  standby: standbySettings(values),
})

const spanMs = (span: string | null): number | null => (span === null ? null : duration(span))

function backupSettings(values: ConfigValues): Settings['backups'] {
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
function storageSettings(values: ConfigValues): Settings['storage'] {
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

const MIN_LEASE_MS = 2 * SECOND

/** Throws ConfigError for addresses without a port, and for a lease that is too short. */
function standbySettings(values: ConfigValues): Settings['standby'] {
  const text = values.get('standby.listen')
  if (text === null || text === '') return null
  const { host, port, unix } = parseListenAddress(text)
  if (unix !== null || port === 0)
    throw new ConfigError('standby.listen is an address with a port, such as 10.0.0.1:3100')
  const peer = values.get('standby.peer')
  if (peer !== null && parseListenAddress(peer).port === 0)
    throw new ConfigError('standby.peer is an address with a port, such as 10.0.0.2:3100')
  return {
    listen: { host, port },
    peer,
    acknowledge: values.get('standby.acknowledge'),
    lease_ms: leaseOf(values.get('standby.lease')),
  }
}

function leaseOf(text: string | null): number | null {
  if (text === null) return null
  if (!/^\d+(ms|s|m|h)$/.test(text))
    throw new ConfigError(`standby.lease is a time such as 10s, not ${JSON.stringify(text)}`)
  const lease_ms = duration(text)
  if (lease_ms < MIN_LEASE_MS) throw new ConfigError('standby.lease must be at least 2s')
  return lease_ms
}
