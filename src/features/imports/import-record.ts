/** Builds the public record of an import. */
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { fullNameOf, repoById } from '#features/repos/index.ts'
import type { Import, ImportState } from './schema.ts'
import type { ImportRow } from './store.ts'

const STEP_STATE: Record<ImportState, Import['steps'][number]['state']> = {
  queued: 'waiting',
  waiting_for_limit: 'waiting',
  running: 'running',
  done: 'done',
  done_with_errors: 'done_with_errors',
  failed: 'failed',
  cancelled: 'cancelled',
}

export function importRecord(hearth: Hearth, row: ImportRow): Import {
  const repo = repoById(hearth.db, row.repo_id)
  return {
    id: row.id,
    source: row.source,
    url: row.url,
    repo: repo && repo.deleted_at === null ? fullNameOf(hearth.db, repo) : null,
    state: row.state,
    steps: [
      {
        name: 'code',
        done: row.objects_done,
        total: row.objects_total,
        state: STEP_STATE[row.state],
      },
    ],
    progress: {
      phase: row.phase,
      received_objects: row.objects_done,
      total_objects: row.objects_total,
      received_bytes: row.bytes,
      refs: row.refs_done,
      total_refs: row.refs_total,
    },
    errors: JSON.parse(row.errors) as string[],
    resume_at: row.resume_at,
    created_by: actorOf(hearth, row.created_by),
    created_at: row.created_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
  }
}
