import { writesRepoAsPerson } from '#core/access.ts'
import { typeId } from '#core/ids.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { auditRepo, branchRef, readRef, requireLive } from '#features/repos/index.ts'
import { conflict } from '#lib/errors.ts'
import { AdvisoryId } from '../reports/schema.ts'
import { forkRecord } from './fork-record.ts'
import { requireAdvisory, requireFork } from './fork.ts'
import { AdvisoryFork } from './schema.ts'
import { countOpenForks, findFork, insertFork } from './store-forks.ts'
import { syncAdvisoryFork } from './sync-fork.ts'

/** Each is a copy of the default branch, which follows every push to it. */
const MAX_OPEN_FORKS = 20

export const openAdvisoryFork = operation({
  name: 'open_advisory_fork',
  summary:
    'Open the private fork of a draft advisory, where its mend is made before anybody else sees it (Admin or a security manager, people only). Answers the fork, whose remote is for git.',
  keywords: ['temporary private fork', 'fix a vulnerability in private', 'embargoed fix'],
  route: 'POST /repos/{owner}/{name}/security/advisories/{id}/fork',
  toolset: 'security',
  access: writesRepoAsPerson('admin', { scope: 'security:write', securityManager: true }),
  input: Type.Object({ repo: RepoPath, id: AdvisoryId }),
  output: AdvisoryFork,
  status: 201,

  handler: async ({ hearth, repo, caller, write }, { id }) => {
    const fork = await write((tx) => {
      const live = requireLive(tx.db, repo.id)
      const advisory = requireAdvisory(tx.db, repo, id)
      if (findFork(tx.db, advisory.id))
        throw conflict('already_exists', 'this advisory has its private fork already')
      if (advisory.state !== 'draft')
        throw conflict('released', 'this advisory is published: mend it with a pull request')
      if (readRef(tx.db, repo.id, branchRef(live.default_branch)) === null)
        throw conflict('not_ready', `${repo.full_name} is empty: push a first commit to it`)
      if (countOpenForks(tx.db, repo.id) >= MAX_OPEN_FORKS)
        throw conflict(
          'limit_reached',
          `${repo.full_name} has ${MAX_OPEN_FORKS} private forks: delete one, or publish its advisory`,
        )
      const fork_id = typeId('rep', tx.now_ms)
      insertFork(tx, {
        id: fork_id,
        advisory_id: advisory.id,
        repo_id: repo.id,
        base_branch: live.default_branch,
        created_by: caller.id,
      })
      tx.enqueue(syncAdvisoryFork, { fork_id }, { key: fork_id })
      auditRepo(tx, 'security.advisory_fork_opened', live, { after: { advisory: advisory.id } })
      return requireFork(tx.db, repo, id)
    })
    return forkRecord(hearth, repo, fork)
  },
})
