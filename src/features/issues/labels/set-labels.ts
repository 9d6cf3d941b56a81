/** Replaces the labels and the assignees of a record. */
import type { RepoGrant } from '#core/access.ts'
import type { Tx } from '#core/write.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { resolveAssignees, usernamesOf, type RepoRef } from '../assignees/assignable.ts'
import { issueAssigned } from '../events.ts'
import { builtInAssignees } from '../extension-points.ts'
import { MAX_ASSIGNEES } from '../inputs.ts'
import { colorOf } from './colors.ts'
import { assigneeIdsOf, replaceAssignees } from '../assignees/store-assignees.ts'
import {
  addRecordLabel,
  countLabels,
  findLabel,
  insertLabel,
  labelIdsOf,
  removeRecordLabel,
} from './store-labels.ts'
import { findRecord, touchRecord, type RecordRow } from '../store-records.ts'
import { labelName, nameKey } from '../text.ts'

/** The maximum of labels in a repository, so that a faulty program cannot fill the table. */
export const MAX_LABELS = 1000

/** Throws 409 `limit_reached` when a repository has the maximum of labels. */
export function requireLabelQuota(tx: Tx, repo_id: string): void {
  if (countLabels(tx.db, repo_id) >= MAX_LABELS)
    throw conflict('limit_reached', `a repository has at most ${MAX_LABELS} labels`)
}

/**
 * Replaces the labels of an issue or pull request; returns whether anything changed. An unknown
 * name creates a label when the caller has triage, else it is refused with 422.
 */
export function setLabels(
  tx: Tx,
  repo: Pick<RepoRef, 'id'>,
  number: number,
  names: readonly string[],
  { mayCreate }: { mayCreate: boolean },
): boolean {
  const wanted = new Map(
    names.map((given) => labelName('labels', given)).map((name) => [nameKey(name), name]),
  )
  const ids = new Set(
    [...wanted.values()].map((name) => {
      const label = findLabel(tx.db, repo.id, name)
      if (label) return label.id
      if (!mayCreate)
        throw invalid(
          'labels',
          `there is no label ${JSON.stringify(name)}, and making one needs the role triage`,
        )
      requireLabelQuota(tx, repo.id)
      return insertLabel(tx, { repo_id: repo.id, name, color: colorOf(name), description: null })
    }),
  )
  const present = new Set(labelIdsOf(tx.db, repo.id, number))
  const gone = [...present].filter((id) => !ids.has(id))
  const added = [...ids].filter((id) => !present.has(id))
  for (const id of gone) removeRecordLabel(tx, repo.id, number, id)
  for (const id of added) addRecordLabel(tx, repo.id, number, id)
  if (gone.length + added.length === 0) return false
  touchRecord(tx, repo.id, number)
  return true
}

/**
 * Replaces the assignees of an issue or pull request; returns whether anything changed. Throws 422
 * as `resolveAssignees` does.
 */
export function setAssignees(
  tx: Tx,
  repo: RepoGrant,
  number: number,
  usernames: readonly string[],
): boolean {
  const record = findRecord(tx.db, repo.id, number)
  if (!record) throw new TypeError(`there is no record ${repo.full_name}#${number}`)
  const present = assigneeIdsOf(tx.db, repo.id, number)
  const ids = resolveAssignees(tx.hearth, repo, usernames, {
    author_id: record.author_id,
    present,
    startBuiltIn: (program) => startBuiltIn(tx, repo, record, program),
  })
  if (ids.length === present.length && ids.every((id, at) => id === present[at])) return false
  replaceAssignees(tx, repo.id, number, ids)
  touchRecord(tx, repo.id, number)
  return true
}

/** Throws 422 for a pull request, and 409 `model_not_configured` without a built-in agent. */
function startBuiltIn(
  tx: Tx,
  repo: RepoGrant,
  { kind, number }: RecordRow,
  program: string | null,
): string {
  if (kind !== 'issue')
    throw invalid('assignees', 'the built-in agent takes issues, not pull requests')
  const [start] = builtInAssignees.all(tx.hearth)
  if (!start) throw conflict('model_not_configured', 'this service has no built-in agent')
  return start(tx, repo, number, program)
}

/** Adds one assignee, unless there are as many as there may be. */
export function addAssignee(tx: Tx, repo: RepoRef, number: number, actor_id: string): void {
  const present = assigneeIdsOf(tx.db, repo.id, number)
  if (present.length >= MAX_ASSIGNEES || present.includes(actor_id)) return
  replaceAssignees(tx, repo.id, number, [...present, actor_id])
  touchRecord(tx, repo.id, number)
  tx.append(
    issueAssigned,
    { workspace_id: repo.workspace_id, repo_id: repo.id },
    { number, assignees: usernamesOf(tx.hearth, [...present, actor_id]) },
  )
}
