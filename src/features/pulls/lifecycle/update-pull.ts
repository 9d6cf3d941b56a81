import { decide, writesRepo, type RepoGrant } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import {
  changedValues,
  changeMilestone,
  findRecord,
  manyLines,
  MilestoneInput,
  oneLine,
  refuseSecrets,
  type RecordRow,
  setAssignees,
  setLabels,
} from '#features/issues/index.ts'
import { branchRef, readRef } from '#features/repos/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { contextOf, subjectOf } from '../pull-context.ts'
import { pullMergeRequested } from '../events.ts'
import { BodyInput, onPull, TitleInput } from '../inputs.ts'
import { mergePull } from '../merging/merge-pull.ts'
import { pullRecord } from '../pull-record.ts'
import { requireAuthorOr } from '../permissions.ts'
import { Pull } from '../schema.ts'
import { enqueueStats } from '../changes/stats.ts'
import {
  findActiveForBranch,
  isActive,
  requireActive,
  requirePull,
  setBase,
  setPullText,
  type PullRow,
} from '../store-pulls.ts'
import { endAutoMerge, startAutoMerge } from '../merging/store-auto-merges.ts'
import { appendPullUpdated, pullFieldValues } from './append-updated.ts'
import { inPull } from '../untrusted-texts.ts'

export const updatePull = operation({
  name: 'update_pull',
  summary:
    'Change the title, description, base, labels, assignees, milestone or auto_merge of a pull request. Its author, or triage; labels, assignees and milestone need triage, turning auto_merge on needs the right to merge, which it then uses.',
  keywords: [
    'edit a pull request',
    'change the base branch',
    'retitle',
    'auto-merge',
    'merge automatically',
    'merge when checks pass',
    'description of a pull request',
    'label a pull request',
    'assign a pull request',
    'merge when green',
  ],
  route: 'PATCH /repos/{owner}/{name}/pulls/{number}',
  toolset: 'pulls',
  listed: 'default',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object({
    ...onPull,
    title: Type.Optional(TitleInput),
    body: Type.Optional(BodyInput),
    base: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'The branch to merge into.' }),
    ),
    labels: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
        maxItems: 100,
        description: 'All labels; replaces those it has.',
      }),
    ),
    assignees: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 120 }), {
        maxItems: 10,
        description: 'All assignees, usernames; replaces those it has.',
      }),
    ),
    milestone: Type.Optional(MilestoneInput),
    auto_merge: Type.Optional(Type.Boolean()),
  }),
  output: Pull,
  untrusted: inPull,

  handler: (
    { hearth, db, repo, caller, write },
    { number, base, labels, assignees, milestone, auto_merge, ...given },
  ) => {
    requireAuthorOr(hearth, repo, requirePull(db, repo.id, number), caller, 'triage')
    if ([labels, assignees, milestone].some((value) => value !== undefined)) repo.require('triage')
    // Auto-merge uses the caller's rights, so the caller must be able to merge now.
    if (auto_merge === true)
      decide(mergePull.access, caller, { repo: repo.full_name }, hearth.facts)
    const title = given.title === undefined ? undefined : oneLine('title', given.title)
    const body = given.body === undefined ? undefined : manyLines('body', given.body)
    refuseSecrets(db, repo.id, 'title', title ?? '')
    refuseSecrets(db, repo.id, 'body', body ?? '')

    return write((tx) => {
      const pull = requirePull(tx.db, repo.id, number)
      const before = pullFieldValues(hearth, tx.db, pull)
      const changed: string[] = []
      if (title !== undefined && title !== pull.title) {
        setPullText(tx, pull, { title })
        changed.push('title')
      }
      if (body !== undefined && body !== pull.body) {
        setPullText(tx, pull, { body })
        changed.push('body')
      }
      if (base !== undefined && base !== pull.base_ref) {
        changeBase(tx, repo, pull, base)
        changed.push('base')
      }
      if (
        labels !== undefined &&
        setLabels(tx, repo, number, labels, { mayCreate: repo.can('triage') })
      )
        changed.push('labels')
      if (assignees !== undefined && setAssignees(tx, repo, number, assignees))
        changed.push('assignees')
      if (milestone !== undefined && changeMilestone(tx, requireRecordOf(tx, pull), milestone))
        changed.push('milestone')
      if (auto_merge !== undefined && auto_merge !== (pull.auto_merge === 1)) {
        if (auto_merge)
          startAutoMerge(tx, pull, { asked_by: caller.id, token_id: caller.token?.id ?? null })
        else endAutoMerge(tx, pull)
        changed.push('auto_merge')
      }
      const context = contextOf(tx.db, repo.id)
      if (changed.length > 0) {
        const now = requirePull(tx.db, repo.id, number)
        const values = changedValues(before, pullFieldValues(hearth, tx.db, now))
        appendPullUpdated(tx, context, pull, changed, values)
      }
      if (auto_merge === true && changed.includes('auto_merge') && isActive(pull))
        tx.append(pullMergeRequested, subjectOf(context), { number, issue: pull.issue })
      return pullRecord(hearth, requirePull(tx.db, repo.id, number), context)
    })
  },
})

function requireRecordOf(tx: Tx, pull: PullRow): RecordRow {
  const record = findRecord(tx.db, pull.repo_id, pull.number)
  if (!record) throw new TypeError('a pull request has a record')
  return record
}

function changeBase(tx: Tx, repo: RepoGrant, pull: PullRow, base: string): void {
  requireActive(pull)
  const sha = readRef(tx.db, repo.id, branchRef(base))
  if (sha === null)
    throw invalid('base', `there is no branch ${JSON.stringify(base)} in ${repo.full_name}`)
  if (base === pull.branch) throw invalid('base', `base must differ from the branch ${base}`)
  const other = pull.branch === null ? null : findActiveForBranch(tx.db, repo.id, pull.branch, base)
  if (other)
    throw conflict('already_exists', `#${other.number} is open for ${pull.branch} into ${base}`, {
      number: other.number,
    })
  setBase(tx, pull, { ref: base, sha })
  enqueueStats(tx, requirePull(tx.db, repo.id, pull.number))
}
