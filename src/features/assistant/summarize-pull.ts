import { writesRepoAsPerson } from '#core/access.ts'
import { call, operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { requireRoute } from '#features/models/index.ts'
import { getSession, requirePull } from '#features/pulls/index.ts'
import { conflict, forbidden } from '#lib/errors.ts'
import { MAX_ANSWERING, SessionSummary } from './schema.ts'
import { beginSummary, countSummarizing, findSummary } from './store-summaries.ts'
import { summarizeSession } from './summarize-session.ts'
import { isCurrent, summaryRecord, untrustedSummary } from './summary-record.ts'

export const summarizePull = operation({
  name: 'summarize_pull',
  summary:
    'Have a model summarize the session and the conversation of a pull request for you, with citations that are checked. Answers at once; get_pull_summary says when it is done. Costs nothing while the last summary still holds. For members of the workspace and those with Write; people only.',
  keywords: ['what happened on a pull request', 'summarize the session', 'short version', 'TL;DR'],
  route: 'POST /repos/{owner}/{name}/pulls/{number}/summary',
  toolset: 'pulls',
  access: writesRepoAsPerson('read', { scope: 'pulls:read', whileArchived: true }),
  input: Type.Object({ repo: RepoPath, number: RecordNumber }),
  output: SessionSummary,
  status: 202,
  untrusted: untrustedSummary,

  handler: async ({ hearth, db, repo, caller, write }, { number }) => {
    if (repo.workspace_role === null && !repo.can('write'))
      throw forbidden(
        'members_only',
        'members of the workspace and those with Write may have it summarized',
      )
    const pull = requirePull(db, repo.id, number)
    const reading = { hearth, caller, repo: repo.full_name, number }
    // Throws 404 for those who may not read the session.
    await call(hearth, getSession, caller, { repo: repo.full_name, number, per_page: 1 })
    requireRoute(db, repo.workspace_id, 'summarize')
    const key = { pull_id: pull.id, asked_by: caller.id }
    const before = findSummary(db, key)
    if (before?.status === 'done' && (await isCurrent(reading, before)))
      return summaryRecord(reading, before, false)
    return write((tx) => {
      const running = findSummary(tx.db, key)
      if (running?.status === 'summarizing') return summaryRecord(reading, running, false)
      if (countSummarizing(tx.db, { repo_id: repo.id, asked_by: caller.id }) >= MAX_ANSWERING)
        throw conflict(
          'limit_reached',
          `${MAX_ANSWERING} summaries are being made for you: wait for one of them`,
        )
      const begun = beginSummary(tx, key, repo.id)
      tx.enqueue(summarizeSession, key)
      return summaryRecord(reading, begun, false)
    })
  },
})
