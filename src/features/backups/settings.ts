/** Where backups of this forge go, and with which keys. */
import type { Hearth } from '#core/hearth.ts'
import { installationKey } from '#lib/installation-key.ts'
import { hmacSha256 } from '#lib/hash.ts'
import { readIdentities } from '#backup'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CreateTask } from './create.ts'

type Settings = Hearth['settings']

export const placeOf = ({ data, backups }: Settings): string => backups.to ?? join(data, 'backups')

/**
 * The identities for checks of encrypted backups; none when no file is named. Gives BackupError for
 * a file that holds none.
 */
export const identitiesOf = ({ backups }: Settings): string[] =>
  backups.identity === null
    ? []
    : readIdentities(readFileSync(backups.identity, 'utf8'), backups.identity)

export const createTask = (
  settings: Settings,
  backup: { id: string; name: string | null; to: string; now: string },
): CreateTask => ({
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
