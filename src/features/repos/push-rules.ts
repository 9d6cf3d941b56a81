/**
 * What a repository itself allows of a push; rulesets and the like refuse in reactions to
 * `git.push`.
 */
import type { RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { RefUpdate } from '#git'
import { auditRepo } from './lifecycle.ts'
import { branchOf, branchRef, refNameProblem, shortNameProblem, tagOf } from './ref-names.ts'
import { settingsOf } from './settings.ts'
import type { RepoRow } from './store.ts'
import { readRef } from './store-refs.ts'

/** Where is pushed, and who pushes as far as the rules ask. */
export type PushRules = { readonly row: RepoRow; readonly can: RepoGrant['can'] }

/**
 * Writes down what moves a protected branch past its protection, as only admins may where the
 * settings let them. Before the refs move.
 */
export function auditBypass(tx: Tx, row: RepoRow, updates: readonly RefUpdate[]): void {
  if (row.parent_id !== null || row.protected === 0) return
  for (const { name, new: to } of updates) {
    const before = name === branchRef(row.default_branch) ? readRef(tx.db, row.id, name) : null
    if (before !== null)
      auditRepo(tx, 'repo.protection_bypassed', row, {
        before: { [name]: before },
        after: { [name]: to },
      })
  }
}

/** Why this move is refused, as one line for the person who pushes; null when it is allowed. */
export function checkPush(
  db: Db,
  { row, can }: PushRules,
  { name, new: to }: RefUpdate,
): string | null {
  const branch = branchOf(name)
  const tag = tagOf(name)
  if (branch === null && tag === null)
    return 'only branches (refs/heads/) and tags (refs/tags/) can be pushed here'
  const problem =
    refNameProblem(name) ??
    (to === null ? null : shortNameProblem(branch !== null ? 'heads' : 'tags', branch ?? tag ?? ''))
  if (problem) return `this name ${problem}`
  if (row.parent_id !== null) return null
  // A default branch that does not exist yet can be pushed by everyone who can push: that is how a
  // repository begins.
  if (branch === row.default_branch && readRef(db, row.id, name) !== null) {
    if (to === null) return 'the default branch cannot be deleted'
    if (row.protected === 1 && !(settingsOf(row).admins_may_push && can('admin'))) {
      return `${branch} is protected: push to another branch and open a pull request`
    }
  }
  if (tag !== null && to === null && !can('maintain'))
    return 'deleting a tag needs the role maintain'
  return null
}
