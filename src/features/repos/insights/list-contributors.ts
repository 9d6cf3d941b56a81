import { readsRepo } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import type { HistorySummary } from '#git'
import { commitPersonLookup } from '../commits/commit-records.ts'
import { headCommit } from '../refs/resolve-commit.ts'
import { Contributors, type Contributor } from '../schema.ts'
import { dayOf } from './get-commit-activity.ts'
import { historySummary } from './history-summary.ts'

type Counted = HistorySummary['contributors'][number]

const weeksOf = (parts: readonly Counted[]): Contributor['weeks'] => {
  const weeks = new Map<number, number>()
  for (const part of parts)
    for (const [start, commits] of part.weeks) weeks.set(start, (weeks.get(start) ?? 0) + commits)
  return [...weeks]
    .sort(([a], [b]) => a - b)
    .map(([start, commits]) => ({ week: dayOf(start), commits }))
}

/** Addresses of one account count as one contributor. */
function contributorRecords(hearth: Hearth, contributors: readonly Counted[]): Contributor[] {
  const personOf = commitPersonLookup(hearth)
  const people = contributors.map((counted) => ({
    counted,
    actor: personOf({ name: counted.name, email: counted.email, time: 0, zone: '+0000' }).actor,
  }))
  const groups = Map.groupBy(people, ({ actor, counted }) => actor?.id ?? counted.email)
  return [...groups.values()]
    .flatMap((group): Contributor[] => {
      const parts = group.map(({ counted }) => counted)
      const [first] = group
      const weeks = weeksOf(parts)
      const [first_week, last_week] = [weeks[0]?.week, weeks.at(-1)?.week]
      if (!first || first_week === undefined || last_week === undefined) return []
      const sum = (part: 'commits' | 'additions' | 'deletions'): number =>
        parts.reduce((total, counted) => total + counted[part], 0)
      return [
        {
          name: first.counted.name,
          email: first.counted.email,
          actor: first.actor,
          commits: sum('commits'),
          additions: sum('additions'),
          deletions: sum('deletions'),
          first_week,
          last_week,
          weeks,
        },
      ]
    })
    .sort((a, b) => b.commits - a.commits)
}

export const listContributors = operation({
  name: 'list_contributors',
  summary:
    'The authors with the most commits on the default branch of a repository that you can see, at most 100, with their commits by week. Addresses are matched with accounts.',
  keywords: [
    'commits by developer',
    'most active developers',
    'developer statistics',
    'authors',
    'who works on this',
    'insights',
  ],
  route: 'GET /v1/repos/{owner}/{name}/contributors',
  toolset: 'code',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, ...byPage() }),
  output: Contributors,
  list: 'page',

  handler: async ({ hearth, repo }, paging) => {
    const window = windowOf(paging)
    const head = headCommit(hearth, repo)
    const contributors =
      head === null ? [] : (await historySummary(hearth, repo, head)).summary.contributors
    const records = contributorRecords(hearth, contributors)
    return pageOf(records.slice(window.offset, window.offset + window.limit + 1), window)
  },
})
