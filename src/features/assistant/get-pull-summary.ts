import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { requirePull } from '#features/pulls/index.ts'
import { notFound } from '#lib/errors.ts'
import { SessionSummary } from './schema.ts'
import { findSummary } from './store-summaries.ts'
import { isCurrent, summaryRecord, untrustedSummary } from './summary-record.ts'

export const getPullSummary = operation({
  name: 'get_pull_summary',
  summary:
    'Get the summary of a pull request that you asked for with summarize_pull. It is outdated, and without its text, once the session or the conversation went on.',
  keywords: ['read the summary'],
  route: 'GET /repos/{owner}/{name}/pulls/{number}/summary',
  toolset: 'pulls',
  access: readsRepo({ scope: 'pulls:read' }),
  input: Type.Object({ repo: RepoPath, number: RecordNumber }),
  output: SessionSummary,
  untrusted: untrustedSummary,

  handler: async ({ hearth, db, repo, caller }, { number }) => {
    const pull = requirePull(db, repo.id, number)
    const row =
      caller.kind === 'user' ? findSummary(db, { pull_id: pull.id, asked_by: caller.id }) : null
    if (row === null || caller.kind !== 'user') throw notFound(`a summary of #${number} for you`)
    const reading = { hearth, caller, repo: repo.full_name, number }
    const current = row.status === 'done' ? await isCurrent(reading, row) : true
    return summaryRecord(reading, row, !current)
  },
})
