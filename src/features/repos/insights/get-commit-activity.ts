import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { timestamp } from '#lib/time.ts'
import { headCommit } from '../refs/resolve-commit.ts'
import { CommitActivity } from '../schema.ts'
import { historySummary } from './history-summary.ts'

/** The day of a time in seconds since 1970. */
export const dayOf = (seconds: number): string => timestamp(seconds * 1000).slice(0, 10)

export const getCommitActivity = operation({
  name: 'get_commit_activity',
  summary:
    'Commits, added and deleted lines of the default branch by week, in a repository that you can see. A long history is counted in the background; until then complete is false.',
  keywords: ['code frequency', 'commits over time', 'statistics', 'insights'],
  route: 'GET /v1/repos/{owner}/{name}/commit-activity',
  toolset: 'code',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath }),
  output: CommitActivity,

  handler: async ({ hearth, repo }) => {
    const head = headCommit(hearth, repo)
    const { summary, isComplete } = head === null ? EMPTY : await historySummary(hearth, repo, head)
    const sum = (part: 'commits' | 'additions' | 'deletions'): number =>
      summary.weeks.reduce((total, week) => total + week[part], 0)
    return {
      sha: summary.head,
      complete: isComplete && summary.head === head,
      counted: summary.walked,
      to_count: summary.total,
      contributors: summary.authors,
      commits: sum('commits'),
      additions: sum('additions'),
      deletions: sum('deletions'),
      weeks: summary.weeks.map(({ start, ...counts }) => ({ week: dayOf(start), ...counts })),
    }
  },
})

const EMPTY = {
  summary: { head: null, walked: 0, total: 0, weeks: [], authors: 0, contributors: [] },
  isComplete: true,
}
