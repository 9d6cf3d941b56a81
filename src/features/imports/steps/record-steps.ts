/** Collaborators, labels, milestones, issues and pull requests. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import {
  importIssue,
  importLabel,
  importMilestone,
  type ImportedRecord,
} from '#features/issues/index.ts'
import { importPull, type ImportedPull } from '#features/pulls/index.ts'
import { branchRef, readRef } from '#features/repos/index.ts'
import type { Oid } from '#git'
import type {
  ForeignIssue,
  ForeignLabel,
  ForeignMilestone,
  ForeignPerson,
  ForeignPull,
  ForeignRecord,
} from '../forges/forge.ts'
import { mapCollaborator, personId } from '../people.ts'
import { rewriteText } from '../rewrite-text.ts'
import { findItem, insertItem, listNumbersAfter } from '../store-steps.ts'
import type { ListStep, StepContext } from './context.ts'
import { placeFiles, prepareFiles, type PlacedFiles, type ReadyFile } from './text-files.ts'

/** Forges count their ids up, so the id says what came first within a second. */
export const orderOf = (foreign_id: string): number => {
  const digits = foreign_id.slice(foreign_id.lastIndexOf(' ') + 1)
  return /^\d{1,15}$/.test(digits) ? Number(digits) : 0
}

export const collaboratorsStep: ListStep<ForeignPerson> = {
  name: 'collaborators',
  read: ({ forge }, cursor) => forge.collaborators(cursor),
  place: (tx, { people }, person) => {
    mapCollaborator(tx, people, person)
    return null
  },
}

export const labelsStep: ListStep<ForeignLabel> = {
  name: 'labels',
  read: ({ forge }, cursor) => forge.labels(cursor),
  place: (tx, { repo }, label) =>
    importLabel(tx, repo.id, label) === null
      ? `the label ${label.name.slice(0, 60)} was left out: there are too many`
      : null,
}

export const milestonesStep: ListStep<ForeignMilestone> = {
  name: 'milestones',
  read: ({ forge }, cursor) => forge.milestones(cursor),
  place: (tx, { repo }, milestone) => {
    if (findItem(tx.db, repo.id, 'milestone', milestone.id) === null)
      insertItem(
        tx,
        repo.id,
        'milestone',
        milestone.id,
        importMilestone(tx, repo.id, { ...milestone, order: orderOf(milestone.id) }),
      )
    return null
  },
}

/** A number beyond those that were there when the import began is not reserved for it. */
function numberProblem({ facts }: StepContext, { number, title }: ForeignRecord): string | null {
  if (!Number.isSafeInteger(number) || number < 1)
    return `a record without a number was left out: ${title.slice(0, 60)}`
  return number > facts.highest ? `#${number} was left out: it is newer than this import` : null
}

const recordOf = (
  tx: Tx,
  { repo, people, texts }: StepContext,
  record: ForeignRecord,
): ImportedRecord => ({
  repo_id: repo.id,
  number: record.number,
  title: record.title,
  body: rewriteText(record.body, texts),
  author_id: personId(tx, people, record.author),
  labels: record.labels,
  milestone_id:
    record.milestone === null ? null : findItem(tx.db, repo.id, 'milestone', record.milestone),
  assignee_ids: record.assignees.map((person) => personId(tx, people, person)),
  locked: record.locked,
  lock_reason: record.lock_reason,
  created_ms: record.created_ms,
  updated_ms: record.updated_ms,
})

const closedBy = (tx: Tx, { people }: StepContext, { closed_by }: ForeignRecord): string | null =>
  closed_by === null ? null : personId(tx, people, closed_by)

type ReadyIssue = { readonly issue: ForeignIssue; readonly files: readonly ReadyFile[] }

/** The files of a record's text. Those of one that is here already came with it. */
const filesOf = async (context: StepContext, record: ForeignRecord): Promise<ReadyFile[]> =>
  isThere(context.hearth.db, context, record) ? [] : await prepareFiles(context, [record.body])

const isThere = (db: Db, { repo }: StepContext, { number }: ForeignRecord): boolean =>
  listNumbersAfter(db, repo.id, null, number - 1, 1)[0]?.number === number

const placeFilesOf = (
  tx: Tx,
  context: StepContext,
  record: ForeignRecord,
  files: readonly ReadyFile[],
): PlacedFiles => placeFiles(tx, context, files, { ...record, what: `#${record.number}` })

export const issuesStep: ListStep<ForeignIssue, ReadyIssue> = {
  name: 'issues',
  read: ({ forge }, cursor) => forge.issues(cursor),
  prepare: async (context, issue) => ({ issue, files: await filesOf(context, issue) }),
  place: (tx, context, { issue, files }) => {
    const problem = numberProblem(context, issue)
    if (problem !== null) return problem
    if (isThere(tx.db, context, issue)) return null
    const placed = placeFilesOf(tx, context, issue, files)
    const id = importIssue(tx, {
      ...recordOf(tx, placed.context, issue),
      checks: issue.checks ?? [],
      closed:
        issue.closed_ms === null
          ? null
          : {
              reason: issue.not_planned ? 'not_planned' : 'completed',
              by: closedBy(tx, context, issue),
              at_ms: issue.closed_ms,
            },
    })
    if (id !== null) placed.use(id, issue.body)
    return null
  },
}

type ReadyPull = {
  readonly pull: ForeignPull
  readonly files: readonly ReadyFile[]
  readonly head: ImportedPull['head']
  readonly base_sha: Oid | null
  readonly merge_commit: Oid | null
  readonly hasBase: boolean
}

const OID = /^[0-9a-f]{40}$/

/** The commit when it is in the store; null otherwise. */
export async function presentCommit(
  { hearth, repo }: Pick<StepContext, 'hearth' | 'repo'>,
  oid: string | null,
): Promise<Oid | null> {
  if (oid === null || !OID.test(oid)) return null
  return await hearth.git.peelToCommit(repo.store, oid as Oid).catch(() => null)
}

async function preparePull(context: StepContext, pull: ForeignPull): Promise<ReadyPull> {
  const { hearth, repo } = context
  const kept = readRef(hearth.db, repo.id, `refs/pull/${pull.number}/head`)
  const head_sha = kept ?? (await presentCommit(context, pull.head_sha))
  const tip = readRef(hearth.db, repo.id, branchRef(pull.base_ref))
  const merge_base = await presentCommit(context, pull.merge_base)
  const base = await presentCommit(context, pull.base_sha)
  const isOpen = pull.closed_ms === null && pull.merged === null
  const fallback = tip ?? readRef(hearth.db, repo.id, branchRef(repo.default_branch))
  return {
    pull,
    files: await filesOf(context, pull),
    head:
      head_sha === null || pull.head_ref === ''
        ? null
        : { ref: pull.head_ref, sha: head_sha, in_fork: pull.in_fork },
    base_sha: (isOpen ? tip : null) ?? merge_base ?? base ?? fallback,
    merge_commit: await presentCommit(context, pull.merged?.commit ?? null),
    hasBase: tip !== null,
  }
}

export const pullsStep: ListStep<ForeignPull, ReadyPull> = {
  name: 'pulls',
  read: ({ forge }, cursor) => forge.pulls(cursor),
  prepare: preparePull,
  place: (tx, context, { pull, files, head, base_sha, merge_commit, hasBase }) => {
    const problem = numberProblem(context, pull)
    if (problem !== null) return problem
    const { number, merged } = pull
    if (base_sha === null) return `#${number} was left out: there is no commit to compare it with`
    if (isThere(tx.db, context, pull)) return null
    const isOpen = pull.closed_ms === null && merged === null
    const isStuck = isOpen && (head === null || !hasBase)
    const closed_ms = isStuck ? pull.updated_ms : pull.closed_ms
    const placed = placeFilesOf(tx, context, pull, files)
    const id = importPull(tx, context.repo, {
      ...recordOf(tx, placed.context, pull),
      draft: pull.draft,
      base: { ref: pull.base_ref || context.repo.default_branch, sha: base_sha },
      head,
      merged:
        merged === null
          ? null
          : {
              by: merged.by === null ? null : personId(tx, context.people, merged.by),
              at_ms: merged.at_ms,
              commit: merge_commit,
              method: merged.method ?? null,
            },
      closed: closed_ms === null ? null : { by: closedBy(tx, context, pull), at_ms: closed_ms },
    })
    if (id !== null) placed.use(id, pull.body)
    if (id !== null && isStuck)
      return `#${number} was closed: its ${head === null ? 'commits are' : 'base branch is'} no longer there`
    return null
  },
}
