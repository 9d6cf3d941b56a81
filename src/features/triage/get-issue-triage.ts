import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { requireIssue } from '#features/issues/index.ts'
import { IssueTriage } from './schema.ts'
import { triageRecord, untrustedTriage } from './triage-record.ts'

export const getIssueTriage = operation({
  name: 'get_issue_triage',
  summary:
    'Get what a model proposes for an issue: labels, duplicates, a severity and a question to its author. For those with Triage, who decide with decide_triage_proposal.',
  keywords: ['proposed labels', 'possible duplicates', 'triage of an issue', 'how severe'],
  route: 'GET /repos/{owner}/{name}/issues/{number}/triage',
  toolset: 'issues',
  access: readsRepoAs('triage', { scope: 'issues:read' }),
  input: Type.Object({ repo: RepoPath, number: RecordNumber }),
  output: IssueTriage,
  untrusted: untrustedTriage,

  handler: ({ hearth, db, repo }, { number }) => {
    requireIssue(db, repo.id, number)
    return triageRecord(hearth, repo, number)
  },
})
