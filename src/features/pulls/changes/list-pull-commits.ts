import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, Type } from '#core/schema.ts'
import { commitRecords } from '#features/repos/index.ts'
import { CommitRecord } from '#features/repos/schema.ts'
import { Refusal } from '#lib/errors.ts'
import { onPull } from '../inputs.ts'
import { areCommitsGone } from './changes-since.ts'
import { freshStats } from './stats.ts'
import { requirePull } from '../store-pulls.ts'
import { inCommits } from '../untrusted-texts.ts'

export const listPullCommits = operation({
  name: 'list_pull_commits',
  summary:
    'The commits of a pull request that its base lacks (of a merged one: that it lacked), newest first.',
  keywords: ['commits of a pull request', 'commits in a PR'],
  route: 'GET /repos/{owner}/{name}/pulls/{number}/commits',
  toolset: 'pulls',
  list: 'page',
  listed: 'default',
  access: readsRepo({ scope: 'pulls:read' }),
  input: Type.Object({ ...onPull, ...byPage() }),
  output: ListOf(CommitRecord),
  untrusted: inCommits,

  handler: async ({ hearth, db, git, repo }, { number, ...paging }) => {
    const pull = requirePull(db, repo.id, number)
    const window = windowOf(paging)
    if (pull.head_sha === null) return pageOf([], window, 0)
    try {
      const stats = await freshStats(hearth, pull)
      const commits = await git.log(repo.store, {
        tips: [pull.head_sha],
        hide: [pull.base_sha],
        skip: window.offset,
        limit: window.limit,
      })
      return pageOf(commitRecords(hearth, repo, commits), window, stats?.commits ?? 0)
    } catch (error) {
      if (areCommitsGone(error))
        throw new Refusal('gone', `the commits of #${number} are not kept any more`)
      throw error
    }
  },
})
