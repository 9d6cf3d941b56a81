import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { requireIssue } from '#features/issues/index.ts'
import { requireRoute } from '#features/models/index.ts'
import { conflict } from '#lib/errors.ts'
import { queueTriage } from './queue-triage.ts'
import { IssueTriage } from './schema.ts'
import { findTriage } from './store.ts'
import { triageRecord, untrustedTriage } from './triage-record.ts'

/** So that a press in a loop spends no budget. */
const MAX_TIMES = 10

export const triageIssue = operation({
  name: 'triage_issue',
  summary:
    'Have a model read an issue and propose labels, duplicates, a severity and a question. New issues are read without this where the setting issue_triage is on, which it needs. Answers at once; get_issue_triage says when it is done. Needs Triage; people only.',
  keywords: ['triage an issue', 'propose labels', 'find duplicates of an issue'],
  route: 'POST /repos/{owner}/{name}/issues/{number}/triage',
  toolset: 'issues',
  access: writesRepoAsPerson('triage', { scope: 'issues:write' }),
  input: Type.Object({ repo: RepoPath, number: RecordNumber }),
  output: IssueTriage,
  status: 202,
  untrusted: untrustedTriage,

  handler: ({ hearth, repo, write }, { number }) =>
    write((tx) => {
      const issue = requireIssue(tx.db, repo.id, number)
      const before = findTriage(tx.db, { repo_id: repo.id, number })
      if (before?.status === 'waiting') return triageRecord(hearth, repo, number)
      if (issue.open === 0) throw conflict('closed', `#${number} is closed: reopen it first`)
      if ((before?.taken ?? 0) >= MAX_TIMES)
        throw conflict('limit_reached', `#${number} was read ${MAX_TIMES} times, which is the most`)
      const untaken = queueTriage(tx, repo.id, number)
      if (untaken === 'no_model') requireRoute(tx.db, repo.workspace_id, 'triage')
      if (untaken === 'off')
        throw conflict(
          'triage_off',
          `triage is off in ${repo.full_name}; someone with Maintain switches it on in the settings of the repository`,
        )
      if (untaken !== null)
        throw conflict('limit_reached', 'as many issues as may be were read today: try tomorrow')
      return triageRecord(hearth, repo, number)
    }),
})
