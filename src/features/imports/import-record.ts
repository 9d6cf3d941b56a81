/** Builds the public record of an import. */
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { fullNameOf, repoById } from '#features/repos/index.ts'
import { STEP_NAMES, type Import, type ImportedPerson, type ImportState } from './schema.ts'
import { errorsOf, type ImportRow } from './store.ts'
import { isStepDone, listSteps, type ImportedPersonRow } from './store-steps.ts'

const STEP_STATE: Record<ImportState, Import['steps'][number]['state']> = {
  queued: 'waiting',
  waiting_for_limit: 'waiting',
  running: 'running',
  done: 'done',
  done_with_errors: 'done_with_errors',
  failed: 'failed',
  cancelled: 'cancelled',
}

/** The steps of an import. That of the code counts git objects. */
function stepRecords(hearth: Hearth, row: ImportRow): Import['steps'] {
  const code = { done: row.objects_done, total: row.objects_total }
  const steps = listSteps(hearth.db, row.id)
  const byName = new Map(steps.map((step) => [step.name, step]))
  if (row.source === 'git' || steps.length === 0)
    return [{ name: 'code', ...code, state: STEP_STATE[row.state] }]
  const ended = row.state === 'failed' || row.state === 'cancelled' ? row.state : null
  return STEP_NAMES.flatMap((name) => {
    const step = byName.get(name)
    if (!step) return []
    const { done, total, state } = step
    return [
      {
        name,
        ...(name === 'code' ? code : { done, total }),
        state: isStepDone(step) || ended === null ? state : ended,
      },
    ]
  })
}

export function importRecord(hearth: Hearth, row: ImportRow): Import {
  const repo = repoById(hearth.db, row.repo_id)
  return {
    id: row.id,
    source: row.source,
    url: row.url,
    repo: repo && repo.deleted_at === null ? fullNameOf(hearth.db, repo) : null,
    state: row.state,
    steps: stepRecords(hearth, row),
    progress: {
      phase: row.phase,
      received_objects: row.objects_done,
      total_objects: row.objects_total,
      received_bytes: row.bytes,
      refs: row.refs_done,
      total_refs: row.refs_total,
    },
    errors: [...errorsOf(row), ...(row.problem === null ? [] : [row.problem])],
    resume_at: row.resume_at,
    created_by: actorOf(hearth, row.created_by),
    created_at: row.created_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
  }
}

export const personRecord = (hearth: Hearth, row: ImportedPersonRow): ImportedPerson => ({
  id: row.actor_id,
  host: row.host,
  username: row.login,
  name: row.name,
  url: row.url,
  mapped_to: actorOf(hearth, row.mapped_to),
})
