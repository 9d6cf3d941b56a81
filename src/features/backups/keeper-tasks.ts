/** What the thread of backups can do. */
import { findBrokenLink } from '#core/audit.ts'
import { faultsOf, openDatabase } from '#core/db.ts'
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
import { createBackup, lockBackups, type Created, type CreateTask } from './create.ts'

type Where = {
  readonly from: string
  readonly s3: S3Settings | null
  readonly id: string
  readonly identities: readonly string[]
}

export type Inspected = { readonly faults: readonly string[]; readonly broken_link: string | null }

export type Tasks = {
  create: { input: CreateTask; output: Created }
  /** Reads all of a backup; gives what is wrong. */
  check: { input: Where; output: readonly string[] }
  restore: { input: Where & { readonly target: string }; output: { readonly files: number } }
  prune: {
    input: { data: string; place: string; s3: S3Settings | null; keep: Keep; now_ms: number }
    output: { readonly removed: readonly string[] }
  }
  /** Reads all of a database file. */
  inspect: { input: { readonly path: string }; output: Inspected }
}

export type Asked =
  | { readonly kind: keyof Tasks; readonly input: unknown }
  | { readonly stop: true }
export type Told =
  | { readonly progress: Progress }
  | { readonly done: unknown }
  | { readonly failed: string; readonly person: boolean }

type Run = {
  readonly [K in keyof Tasks]: (
    input: Tasks[K]['input'],
    tell: Tell,
    signal: AbortSignal,
  ) => Promise<Tasks[K]['output']>
}

export const tasks: Run = {
  create: createBackup,

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
      return { removed: (await prune(openPlace(address, s3), keep, { now_ms })).removed }
    } finally {
      release()
    }
  },

  async inspect({ path }) {
    const database = openDatabase({ path, readonly: true })
    try {
      return { faults: faultsOf(database), broken_link: findBrokenLink(database) }
    } finally {
      database.close()
    }
  },
}
