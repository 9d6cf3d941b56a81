import { writesRepoAsPerson, type RepoGrant } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RecordNumber, RepoPath, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import {
  addLabels,
  closeIssueAs,
  commentCreated,
  findIssue,
  findLabel,
  insertComment,
  requireIssue,
} from '#features/issues/index.ts'
import { conflict, forbidden, notFound } from '#lib/errors.ts'
import { IssueTriage } from './schema.ts'
import { severityName } from './severity-label.ts'
import { listProposals, setDecided, type ProposalRow } from './store.ts'
import { triageRecord, untrustedTriage } from './triage-record.ts'

export const decideTriageProposal = operation({
  name: 'decide_triage_proposal',
  summary:
    'Accept or dismiss what a model proposes for an issue. Accepting adds the label (a severity as the label "severity: high"), closes a duplicate with a comment, or asks the question in your name. Needs Triage; people only.',
  keywords: ['accept a proposed label', 'dismiss a proposal', 'accept a duplicate'],
  route: 'POST /repos/{owner}/{name}/issues/{number}/triage/{proposal}',
  toolset: 'issues',
  access: writesRepoAsPerson('triage', { scope: 'issues:write' }),
  input: Type.Object({
    repo: RepoPath,
    number: RecordNumber,
    proposal: Type.String({ maxLength: 100, description: 'The id of the proposal.' }),
    decision: OneOf(['accept', 'dismiss']),
  }),
  output: IssueTriage,
  status: 200,
  annotations: { idempotent: true },
  untrusted: untrustedTriage,

  handler: ({ hearth, repo, caller, write }, { number, proposal: id, decision }) =>
    write((tx) => {
      const key = { repo_id: repo.id, number }
      requireIssue(tx.db, repo.id, number)
      const proposal = listProposals(tx.db, key).find((one) => one.id === id)
      if (!proposal) throw notFound(`the proposal ${id}`)
      const wanted = decision === 'accept' ? 'accepted' : 'dismissed'
      if (proposal.state === wanted) return triageRecord(hearth, repo, number)
      if (proposal.state !== 'open')
        throw conflict('decided', `this proposal is ${proposal.state} already`)
      if (decision === 'accept') accept(tx, repo, caller.id, proposal)
      setDecided(tx, id, wanted, caller.id)
      return triageRecord(hearth, repo, number)
    }),
})

function accept(tx: Tx, repo: RepoGrant, person: string, proposal: ProposalRow): void {
  const { number, kind, value } = proposal
  switch (kind) {
    case 'label':
      if (findLabel(tx.db, repo.id, value) === null)
        throw conflict('label_gone', `the label ${JSON.stringify(value)} is gone: dismiss this`)
      return addLabels(tx, repo, number, [value])
    case 'severity':
      return addLabels(tx, repo, number, [severityName(value)], { mayCreate: true })
    case 'question':
      return comment(tx, repo, person, { number, body: value })
    case 'duplicate':
      return closeAsDuplicate(tx, repo, person, proposal)
  }
}

function closeAsDuplicate(
  tx: Tx,
  repo: RepoGrant,
  person: string,
  { number, value }: ProposalRow,
): void {
  if (findIssue(tx.db, repo.id, Number(value)) === null)
    throw conflict('issue_gone', `the issue #${value} is gone: dismiss this`)
  comment(tx, repo, person, { number, body: `Duplicate of #${value}.` })
  if (requireIssue(tx.db, repo.id, number).open === 1)
    closeIssueAs(tx, repo, number, person, 'not_planned')
}

function comment(
  tx: Tx,
  repo: RepoGrant,
  author_id: string,
  { number, body }: { readonly number: number; readonly body: string },
): void {
  if (requireIssue(tx.db, repo.id, number).locked === 1 && !repo.can('write'))
    throw forbidden('locked', `#${number} is locked; only those with the role write may comment`)
  const id = insertComment(tx, { repo_id: repo.id, number, author_id, body })
  tx.append(
    commentCreated,
    { workspace_id: repo.workspace_id, repo_id: repo.id },
    { number, comment: id, review: null, verdict: null, path: null, line: null },
  )
}
