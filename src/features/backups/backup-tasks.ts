/** The tasks of the backup thread. */
import { findBrokenLink } from '#core/audit.ts'
import { dataIdentity } from '#lib/data-identity.ts'
import { listFaults, openDatabase } from '#core/db.ts'
import {
  checkBackup,
  openPlace,
  prune,
  readManifest,
  restoreBackup,
  type Keep,
  type Progress,
  type S3Settings,
  type Tell,
} from '#backup'
import { buildBackup, lockBackups, type BuiltBackup, type BuildTask } from './build-backup.ts'

type BackupSource = {
  readonly from: string
  readonly s3: S3Settings | null
  readonly id: string
  readonly identities: readonly string[]
}

export type DatabaseInspection = {
  readonly faults: readonly string[]
  readonly broken_link: string | null
}

export type Tasks = {
  create: { input: BuildTask; output: BuiltBackup }
  /** Reads a whole backup and returns its faults. */
  check: { input: BackupSource; output: readonly string[] }
  restore: { input: BackupSource & { readonly target: string }; output: { readonly files: number } }
  prune: {
    input: { data: string; place: string; s3: S3Settings | null; keep: Keep; now_ms: number }
    output: { readonly removed: readonly string[] }
  }
  /** Reads a whole database file. */
  inspect: { input: { readonly path: string }; output: DatabaseInspection }
}

export type ThreadRequest =
  | { readonly kind: keyof Tasks; readonly input: unknown }
  | { readonly stop: true }
export type ThreadResponse =
  | { readonly progress: Progress }
  | { readonly done: unknown }
  | { readonly failed: string; readonly person: boolean }

type TaskFunctions = {
  readonly [K in keyof Tasks]: (
    input: Tasks[K]['input'],
    tell: Tell,
    signal: AbortSignal,
  ) => Promise<Tasks[K]['output']>
}

export const tasks: TaskFunctions = {
  create: buildBackup,

  async check({ from, s3, id, identities }, tell, signal) {
    const place = openPlace(from, s3)
    return checkBackup(place, await readManifest(place, id), identities, tell, signal)
  },

  async restore({ from, s3, id, identities, target }, tell, signal) {
    const place = openPlace(from, s3)
    const { files } = await restoreBackup(
      place,
      await readManifest(place, id),
      { target, identities },
      tell,
      signal,
    )
    return { files }
  },

  async prune({ data, place: address, s3, keep, now_ms }) {
    const release = lockBackups(data)
    try {
      return {
        removed: (await prune(openPlace(address, s3), keep, { origin: dataIdentity(data), now_ms }))
          .removed,
      }
    } finally {
      release()
    }
  },

  async inspect({ path }) {
    const database = openDatabase({ path, readonly: true })
    try {
      return { faults: listFaults(database), broken_link: findBrokenLink(database) }
    } finally {
      database.close()
    }
  },
}
