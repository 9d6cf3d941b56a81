/** The open alerts that a rule for merges counts. The implementation of `standingAlerts`. */
import type { Hearth } from '#core/hearth.ts'
import type { AlertScope, PullRow, StandingAlert, StandingAlerts } from '#features/pulls/index.ts'
import { fullNameOf, type RepoRow } from '#features/repos/index.ts'
import { isCompared } from '../dependencies/review-pulls.ts'
import { severityRank } from '../dependencies/store-alerts.ts'
import type { ReviewRating } from '../dependencies/store-reviews.ts'
import { SEVERITIES } from '../schema.ts'
import {
  listAddedCodeAlerts,
  listLeftCodeAlerts,
  listOpenSecrets,
  listReviewsOfHeads,
  listStandingDependencies,
  listToolsOfHeads,
  pullsAsJson,
} from './store.ts'

/** Rows that one query reads for all pull requests of a page. More alerts are not counted. */
const MAX_ROWS = 2_000
/** Alerts of one pull request that are named. */
const MAX_NAMED = 10

type Found = Omit<StandingAlert, 'url'> & { readonly url?: string | null }
type Query = {
  readonly hearth: Hearth
  readonly repo: RepoRow
  readonly scope: AlertScope
  readonly pulls: readonly PullRow[]
  /** The same as JSON. */
  readonly json: string
  readonly rank: number
}

/** What is known of one pull request. */
type Entry = { readonly found: Map<string, Found>; readonly awaited: string[] }
type Entries = ReadonlyMap<string, Entry>

function addCode({ hearth, repo, scope, json, rank }: Query, entries: Entries): void {
  const query = { repo_id: repo.id, pulls: json, rank, limit: MAX_ROWS }
  const rows = [
    ...listAddedCodeAlerts(hearth.db, query),
    ...(scope.of === 'repository' ? listLeftCodeAlerts(hearth.db, query) : []),
  ]
  for (const { pull_id, id, severity } of rows)
    entries.get(pull_id)?.found.set(id, { kind: 'code', id, severity })
}

function awaitTools({ hearth, repo, scope, json }: Query, entries: Entries): void {
  if (scope.tools.length === 0) return
  const rows = listToolsOfHeads(hearth.db, { repo_id: repo.id, pulls: json })
  const done = new Set(rows.map(({ pull_id, tool }) => `${pull_id} ${tool.toLowerCase()}`))
  for (const [pull_id, { awaited }] of entries)
    awaited.push(...scope.tools.filter((tool) => !done.has(`${pull_id} ${tool.toLowerCase()}`)))
}

const packageKey = (id: string, name: string, manifest: string): string =>
  `${id}\n${name}\n${manifest}`

function addDependencies({ hearth, repo, scope, json, rank }: Query, entries: Entries): void {
  if (!isCompared(hearth.db, repo.id)) return
  const standing =
    scope.of === 'repository'
      ? listStandingDependencies(hearth.db, { repo_id: repo.id, rank, limit: MAX_ROWS })
      : []
  const reviews = new Map(
    listReviewsOfHeads(hearth.db, { repo_id: repo.id, pulls: json }).map((row) => [
      row.pull_id,
      JSON.parse(row.advisories) as ReviewRating['advisories'],
    ]),
  )
  for (const [pull_id, { found, awaited }] of entries) {
    const review = reviews.get(pull_id)
    if (!review) awaited.push('dependencies')
    for (const one of review?.opens ?? [])
      if (severityRank(one.severity) <= rank)
        found.set(packageKey(one.id, one.package, one.manifest), {
          kind: 'dependency',
          id: one.id,
          severity: one.severity,
          url: one.url,
        })
    const mended = new Set(
      review?.mends.map((one) => packageKey(one.id, one.package, one.manifest)),
    )
    for (const { id, severity, ...one } of standing)
      if (!mended.has(packageKey(one.advisory_id, one.package, one.manifest)))
        found.set(id, { kind: 'dependency', id, severity })
  }
}

/** A secret that leaked is valid on every branch, so all that are open count. */
function addSecrets({ hearth, repo }: Query, entries: Entries): void {
  for (const { id } of listOpenSecrets(hearth.db, repo.id, MAX_ROWS))
    for (const { found } of entries.values()) found.set(id, { kind: 'secret', id, severity: null })
}

const PAGES = {
  code: 'code-scanning',
  dependency: 'dependency-alerts',
  secret: 'secrets',
} as const

/** Secrets come first: they have no severity, and each of them is urgent. */
const rankOf = ({ severity }: Found): number =>
  severity === null ? -1 : SEVERITIES.indexOf(severity)

export function findStandingAlerts(
  hearth: Hearth,
  repo: RepoRow,
  pulls: readonly PullRow[],
  scope: AlertScope,
): ReadonlyMap<string, StandingAlerts> {
  const entries: Entries = new Map(
    pulls.map(({ id }): [string, Entry] => [id, { found: new Map(), awaited: [] }]),
  )
  const rank = SEVERITIES.indexOf(scope.severity) + 1
  const query: Query = { hearth, repo, scope, pulls, json: pullsAsJson(pulls), rank }
  if (scope.kinds.includes('code')) addCode(query, entries)
  awaitTools(query, entries)
  if (scope.kinds.includes('dependency')) addDependencies(query, entries)
  if (scope.kinds.includes('secret')) addSecrets(query, entries)
  const pages = `${hearth.settings.site_url}/${fullNameOf(hearth.db, repo)}/security`
  return new Map(
    [...entries].map(([id, { found, awaited }]) => [
      id,
      {
        alerts: [...found.values()]
          .sort((a, b) => rankOf(a) - rankOf(b))
          .slice(0, MAX_NAMED)
          .map(({ url, ...one }) => ({
            ...one,
            url: url === undefined ? `${pages}/${PAGES[one.kind]}/${one.id}` : url,
          })),
        count: found.size,
        awaited,
      },
    ]),
  )
}
