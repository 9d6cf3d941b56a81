/** Replaces what a record carries: its labels and its assignees. */
import type { Tx } from '#core/write.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { resolveAssignees, type RepoRef } from './assignable.ts'
import { colorOf } from './colors.ts'
import { assigneeIdsOf, replaceAssignees } from './store-assignees.ts'
import {
  addRecordLabel,
  countLabels,
  findLabel,
  insertLabel,
  labelIdsOf,
  removeRecordLabel,
} from './store-labels.ts'
import { findRecord, touchRecord } from './store-records.ts'
import { labelName, nameKey } from './text.ts'

/**
 * More labels than anyone can choose from; a limit so that a stray program cannot fill the table.
 */
export const MOST_LABELS = 1000

/** Gives 409 `limit_reached` when a repository has as many labels as it may. */
export function requireRoomForLabel(tx: Tx, repo_id: string): void {
  if (countLabels(tx.db, repo_id) >= MOST_LABELS)
    throw conflict('limit_reached', `a repository has at most ${MOST_LABELS} labels`)
}

/**
 * Replaces the labels of an issue or pull request; gives whether anything changed. An unknown name
 * makes the label when the caller may (the role triage), else it is refused with 422.
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
      requireRoomForLabel(tx, repo.id)
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
 * Replaces the assignees of an issue or pull request; gives whether anything changed. Gives 422 as
 * `resolveAssignees` does.
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
