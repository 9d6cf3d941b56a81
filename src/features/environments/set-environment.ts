import { writesRepoAsPerson, type RepoGrant } from '#core/access.ts'
import { typeId } from '#core/ids.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type, type Static } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { requireLive } from '#features/repos/index.ts'
import { requestScheduling } from '#features/workflows/index.ts'
import { conflict } from '#lib/errors.ts'
import { BranchPatterns, EnvironmentName, readEnvironmentName } from './inputs.ts'
import { environmentRecords, requireHome } from './records.ts'
import { readReviewers, reviewerNames } from './reviewers.ts'
import { Environment, MAX_ENVIRONMENTS, MAX_REVIEWERS, MAX_WAIT_MINUTES } from './schema.ts'
import {
  countEnvironments,
  findEnvironment,
  insertEnvironment,
  listWaitingOf,
  setEnvironmentRow,
  type EnvironmentRow,
} from './store.ts'

const Input = Type.Object({
  repo: RepoPath,
  environment: EnvironmentName,
  reviewers: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: MAX_REVIEWERS,
      description: 'Usernames, and teams as workspace/team, of whom one has to approve.',
    }),
  ),
  wait_minutes: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WAIT_MINUTES,
      description: 'How long a deployment waits before it begins; at most 30 days.',
    }),
  ),
  branches: Type.Optional(BranchPatterns),
  prevent_self_review: Type.Optional(
    Type.Boolean({ description: 'Whoever started a run cannot approve it; true unless given.' }),
  ),
})

export const setEnvironment = operation({
  name: 'set_environment',
  summary:
    'Make or change an environment that jobs deploy to, and what protects it (Admin, people only). What is left out stays. Deployments that wait follow at once. Answers the environment.',
  keywords: ['protect production', 'required reviewers of a deployment', 'wait timer'],
  route: 'PUT /repos/{owner}/{name}/environments/{environment}',
  toolset: 'workflows',
  access: writesRepoAsPerson('admin', { scope: 'workflows:write' }),
  input: Input,
  output: Environment,
  annotations: { idempotent: true },

  handler: ({ hearth, repo, write }, input) => {
    requireHome(repo)
    return write((tx) => {
      requireLive(tx.db, repo.id)
      const row = change(tx, repo, input)
      // Their protection is read anew.
      for (const { run_id } of listWaitingOf(tx.db, row.id)) requestScheduling(tx, run_id)
      const [record] = environmentRecords(hearth, [row])
      if (!record) throw new TypeError('an environment has a record')
      return record
    })
  },
})

function change(tx: Tx, repo: RepoGrant, input: Static<typeof Input>): EnvironmentRow {
  const name = readEnvironmentName(input.environment)
  const before = findEnvironment(tx.db, repo.id, name)
  const { reviewers, branches, prevent_self_review } = input
  const row: EnvironmentRow = {
    id: before?.id ?? typeId('env', tx.now_ms),
    repo_id: repo.id,
    name: before?.name ?? name,
    reviewers:
      reviewers === undefined
        ? (before?.reviewers ?? '[]')
        : JSON.stringify(readReviewers(tx.hearth, repo, reviewers)),
    wait_minutes: input.wait_minutes ?? before?.wait_minutes ?? 0,
    branches:
      branches === undefined
        ? (before?.branches ?? '[]')
        : JSON.stringify([...new Set(branches.map((pattern) => pattern.trim()).filter(Boolean))]),
    prevent_self_review:
      prevent_self_review === undefined
        ? (before?.prevent_self_review ?? 1)
        : prevent_self_review
          ? 1
          : 0,
    created_at: before?.created_at ?? tx.now,
    updated_at: tx.now,
  }
  if (before) setEnvironmentRow(tx, row)
  else {
    if (countEnvironments(tx.db, repo.id) >= MAX_ENVIRONMENTS)
      throw conflict('limit_reached', `a repository has at most ${MAX_ENVIRONMENTS} environments`, {
        limit: MAX_ENVIRONMENTS,
      })
    insertEnvironment(tx, row)
  }
  tx.audit({
    action: 'environment.set',
    target: { kind: 'environment', id: row.id, name: row.name },
    workspace_id: repo.workspace_id,
    repo_id: repo.id,
    data: { before: before && auditedFields(tx, before), after: auditedFields(tx, row) },
  })
  return row
}

const auditedFields = (tx: Tx, row: EnvironmentRow) => ({
  reviewers: reviewerNames(tx.hearth, row),
  wait_minutes: row.wait_minutes,
  branches: JSON.parse(row.branches) as string[],
  prevent_self_review: row.prevent_self_review === 1,
})
