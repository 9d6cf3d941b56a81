/** Replaces the labels and the assignees of a record. */
import type { Tx } from '#core/write.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { resolveAssignees, type RepoRef } from '../assignees/assignable.ts'
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
import { findRecord, touchRecord } from '../store-records.ts'
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
  repo: RepoRef,
  number: number,
  usernames: readonly string[],
): boolean {
  const record = findRecord(tx.db, repo.id, number)
  if (!record) throw new TypeError(`there is no record ${repo.full_name}#${number}`)
  const present = assigneeIdsOf(tx.db, repo.id, number)
  const ids = resolveAssignees(tx.hearth, repo, usernames, { author_id: record.author_id, present })
  if (ids.length === present.length && ids.every((id, at) => id === present[at])) return false
  replaceAssignees(tx, repo.id, number, ids)
  touchRecord(tx, repo.id, number)
  return true
}
