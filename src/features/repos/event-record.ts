/** Events as records: one shape for the timeline and for webhooks. */
import type { EventRow } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { look } from '#core/look.ts'
import { actorOf, keepActors } from '#features/accounts/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import { fullNameOf } from './facts.ts'
import { branchOf, tagOf } from './ref-names.ts'
import type { EventRecord } from './schema.ts'
import { keepRepos, repoById } from './store.ts'

const OF_PULLS = /^(pull|review|checks|session|queue|agent)\./

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** The page that shows what an event is about. */
function urlOf(site: string, full_name: string | null, row: EventRow): string {
  if (full_name === null) return site
  const home = `${site}/${full_name}`
  const { number, ref, after, tag_name } = row.data
  if (typeof number === 'number')
    return `${home}/${OF_PULLS.test(row.type) ? 'pull' : 'issues'}/${number}`
  if (typeof tag_name === 'string') return `${home}/releases/tag/${encodePath(tag_name)}`
  if (typeof ref === 'string' && typeof after === 'string') {
    const branch = branchOf(ref)
    const tag = tagOf(ref)
    // The commit stays when the branch is gone.
    if (branch !== null)
      return row.data['deleted'] === true ? `${home}/branches` : `${home}/commit/${after}`
    if (tag !== null)
      return row.data['deleted'] === true ? `${home}/tags` : `${home}/tree/${encodePath(tag)}`
  }
  return home
}

/** A page of events. */
export const eventRecords = (hearth: Hearth, rows: readonly EventRow[]): EventRecord[] =>
  look(hearth.db, () => {
    keepActors(hearth.db, [...new Set(rows.flatMap(({ actor_id }) => actor_id ?? []))])
    keepRepos(hearth.db, [...new Set(rows.flatMap(({ repo_id }) => repo_id ?? []))])
    return rows.map((row) => eventRecord(hearth, row))
  })

/** One event as the public interface shows it. */
export function eventRecord(hearth: Hearth, row: EventRow): EventRecord {
  const repo = row.repo_id === null ? null : repoById(hearth.db, row.repo_id)
  const full_name = repo && fullNameOf(hearth.db, repo)
  const workspace = workspaceById(hearth.db, row.workspace_id)?.slug ?? ''
  const actor = actorOf(hearth, row.actor_id)
  const type = hearth.eventTypes.get(row.type)
  return {
    id: row.id,
    type: row.type,
    time: row.time,
    workspace,
    repository: repo && { id: repo.id, full_name: full_name ?? '' },
    actor,
    data: row.data,
    summary: type ? type.summary(row.data, actor?.username ?? 'The service') : row.type,
    url: urlOf(hearth.settings.site_url, full_name ?? (workspace || null), row),
  }
}
