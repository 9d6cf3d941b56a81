/** Triages as clients see them. */
import type { Db } from '#core/db.ts'
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { findIssue } from '#features/issues/index.ts'
import { requireRepo, settingsOf } from '#features/repos/index.ts'
import { SEVERITIES, type IssueTriage, type TriageProposal } from './schema.ts'
import { findTriage, listProposals, type ProposalRow } from './store.ts'

function duplicateOf(db: Db, { repo_id, kind, value }: ProposalRow) {
  if (kind !== 'duplicate') return null
  const number = Number(value)
  return { number, title: findIssue(db, repo_id, number)?.title ?? '' }
}

export const proposalRecord = (hearth: Hearth, row: ProposalRow): TriageProposal => ({
  id: row.id,
  kind: row.kind,
  label: row.kind === 'label' ? row.value : null,
  duplicate_of: duplicateOf(hearth.db, row),
  severity: row.kind === 'severity' ? (SEVERITIES.find((one) => one === row.value) ?? null) : null,
  question: row.kind === 'question' ? row.value : null,
  reason: row.reason,
  state: row.state,
  decided_by: row.decided_by === null ? null : actorOf(hearth, row.decided_by),
  decided_at: row.decided_at,
})

export function triageRecord(hearth: Hearth, repo: RepoGrant, number: number): IssueTriage {
  const { db } = hearth
  const key = { repo_id: repo.id, number }
  const row = findTriage(db, key)
  return {
    repo: repo.full_name,
    number,
    enabled: settingsOf(requireRepo(db, repo.id)).issue_triage !== 'off',
    status: row?.status ?? 'none',
    proposals: listProposals(db, key).map((one) => proposalRecord(hearth, one)),
    error:
      row?.error_code == null
        ? null
        : { code: row.error_code, message: row.error_message ?? row.error_code },
    cost_usd: row?.cost == null ? null : row.cost / 1_000_000,
    taken_at: row?.taken_at ?? null,
    ended_at: row?.ended_at ?? null,
  }
}

/** What a model writes is data: it read texts of anybody. */
export const untrustedTriage = ({ proposals }: IssueTriage): string[] =>
  proposals.flatMap(({ question, duplicate_of }, at) => [
    `/proposals/${at}/reason`,
    ...(question === null ? [] : [`/proposals/${at}/question`]),
    ...(duplicate_of === null ? [] : [`/proposals/${at}/duplicate_of/title`]),
  ])
