import type { Hearth } from '#core/hearth.ts'
import { loadActors } from '#features/accounts/index.ts'
import type { FileLock } from './schema.ts'
import type { LockRow } from './store-locks.ts'

export function lockRecords(hearth: Hearth, rows: readonly LockRow[]): FileLock[] {
  const actor = loadActors(
    hearth,
    rows.map(({ owner_id }) => owner_id),
  )
  return rows.map(({ id, path, owner_id, locked_at }) => ({
    id,
    path,
    locked_by: actor(owner_id),
    locked_at,
  }))
}

export function lockRecord(hearth: Hearth, row: LockRow): FileLock {
  const [record] = lockRecords(hearth, [row])
  if (!record) throw new TypeError('one row gives one record')
  return record
}
