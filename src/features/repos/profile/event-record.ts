/** Events as records. The timeline and webhooks share the format. */
import { encodePath } from '#lib/percent-encoding.ts'
import type { EventRow } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import { actorOf, preloadActors } from '#features/accounts/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import { fullNameOf } from '../access/repo-facts.ts'
import { branchOf, tagOf } from '../refs/ref-names.ts'
import type { EventRecord } from '../schema.ts'
import { preloadRepos, repoById } from '../store/repos.ts'

const PULL_EVENT_TYPE = /^(pull|review|checks|session|queue|agent)\./

/** The page of the package that an event is about, below that of its workspace; null for others. */
function packagePath({ type, data }: EventRow): string | null {
  if (!type.startsWith('package.')) return null
  const { package_type, name } = (data.package ?? {}) as Readonly<Record<string, unknown>>
  return typeof package_type === 'string' && typeof name === 'string'
    ? `/-/packages/${package_type}/${encodeURIComponent(name)}`
    : null
}

/** Returns the URL of the page about an event. */
function eventUrl(
  site: string,
  workspace: string,
  full_name: string | null,
  row: EventRow,
): string {
  const ofPackage = packagePath(row)
  if (ofPackage !== null && workspace !== '') return `${site}/${workspace}${ofPackage}`
  if (full_name === null) return site
  const home = `${site}/${full_name}`
  const { number, ref, after, tag_name, run_id } = row.data
  if (typeof number === 'number')
    return `${home}/${PULL_EVENT_TYPE.test(row.type) ? 'pull' : 'issues'}/${number}`
  if (typeof run_id === 'string') return `${home}/runs/${encodeURIComponent(run_id)}`
  if (typeof tag_name === 'string') return `${home}/releases/tag/${encodePath(tag_name)}`
  if (typeof ref === 'string' && typeof after === 'string') {
    const branch = branchOf(ref)
    const tag = tagOf(ref)
    // The page of the commit still exists after the branch is deleted.
    if (branch !== null)
      return row.data.deleted === true ? `${home}/branches` : `${home}/commit/${after}`
    if (tag !== null)
      return row.data.deleted === true ? `${home}/tags` : `${home}/tree/${encodePath(tag)}`
  }
  const finding = findingPath(row)
  return finding === null ? home : `${home}/security${finding}`
}

const ALERT_PATHS: Readonly<Record<string, string>> = {
  secret: '/secrets',
  code: '/code-scanning',
  dependency: '/dependency-alerts',
}

/** The page of an alert, report or advisory below those of security; null for other events. */
function findingPath({ type, data }: EventRow): string | null {
  if (!type.startsWith('security.')) return null
  const { kind, alert, count, report, advisory } = data
  if (typeof report === 'string') return `/reports/${encodeURIComponent(report)}`
  if (typeof advisory === 'string') return `/advisories/${encodeURIComponent(advisory)}`
  const list = typeof kind === 'string' ? ALERT_PATHS[kind] : undefined
  if (list === undefined || typeof alert !== 'string') return null
  // Several are told by their list.
  return count === 1 ? `${list}/${encodeURIComponent(alert)}` : list
}

/** Builds the records of a page of events. */
export const eventRecords = (hearth: Hearth, rows: readonly EventRow[]): EventRecord[] =>
  readScope(hearth.db, () => {
    preloadActors(hearth.db, [...new Set(rows.flatMap(({ actor_id }) => actor_id ?? []))])
    preloadRepos(hearth.db, [...new Set(rows.flatMap(({ repo_id }) => repo_id ?? []))])
    return rows.map((row) => eventRecord(hearth, row))
  })

/** Builds the public record of one event. */
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
    url: eventUrl(hearth.settings.site_url, workspace, full_name ?? (workspace || null), row),
  }
}
