/** Builds the public record of a backup. */
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import type { Backup } from './schema.ts'
import type { BackupRow } from './store.ts'

export function backupRecord(hearth: Hearth, row: BackupRow): Backup {
  return {
    id: row.id,
    name: row.name,
    place: row.place,
    state: row.state,
    scheduled: row.scheduled === 1,
    encrypted: row.encrypted === 1,
    progress: row.progress === null ? null : (JSON.parse(row.progress) as Backup['progress']),
    files: row.files,
    repositories: row.repositories,
    bytes: row.bytes,
    added_bytes: row.added_bytes,
    notes: JSON.parse(row.notes) as string[],
    error: row.error,
    verification: row.verification && {
      state: row.verification,
      by: row.verified_by,
      findings: JSON.parse(row.findings) as string[],
      at: row.verified_at,
    },
    created_by: row.created_by === null ? null : actorOf(hearth, row.created_by),
    created_at: row.created_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
  }
}
