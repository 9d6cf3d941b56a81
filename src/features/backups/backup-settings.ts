/** The destination and keys of backups. */
import type { Hearth } from '#core/hearth.ts'
import { installationKey } from '#lib/installation-key.ts'
import { hmacSha256 } from '#lib/hash.ts'
import { readIdentities } from '#backup'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuildTask } from './build-backup.ts'

type Settings = Hearth['settings']

export const backupAddress = ({ data, backups }: Settings): string =>
  backups.to ?? join(data, 'backups')

/**
 * Reads the identities that decrypt backups; none without a configured file. Throws BackupError for
 * a file without identities.
 */
export const readBackupIdentities = ({ backups }: Settings): string[] =>
  backups.identity === null
    ? []
    : readIdentities(readFileSync(backups.identity, 'utf8'), backups.identity)

export const buildTask = (
  settings: Settings,
  backup: { id: string; name: string | null; to: string; now: string },
): BuildTask => ({
  data: settings.data,
  s3: settings.backups.s3,
  storage: settings.storage,
  version: settings.version,
  recipients: settings.backups.recipients,
  name_key: Buffer.from(
    hmacSha256(installationKey(settings.data), 'names of encrypted parts of backups'),
  ).toString('hex'),
  ...backup,
})
