/** The built-in rules for pushes. Rulesets refuse through `move-guard.ts`. */
import type { RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { RefUpdate } from '#git'
import { auditRepo } from '../lifecycle/preconditions.ts'
import {
  branchOf,
  branchRef,
  isReservedRef,
  refNameProblem,
  shortNameProblem,
  tagOf,
} from '../refs/ref-names.ts'
import type { PushSignature } from '../schema-code.ts'
import { settingsOf } from '../settings/repo-settings.ts'
import type { RepoRow } from '../store/repos.ts'
import { readRef } from '../store/refs.ts'

/** The repository of a push, and the pusher's role checks. */
export type PushTarget = { readonly row: RepoRow; readonly can: RepoGrant['can'] }

/**
 * Writes an audit entry for each move of a protected branch, which only admins can make when the
 * settings allow it. Called before the refs move.
 */
export function auditBypass(
  tx: Tx,
  row: RepoRow,
  updates: readonly RefUpdate[],
  signature?: PushSignature,
): void {
  if (row.parent_id !== null || row.protected === 0) return
  for (const { name, new: to } of updates) {
    const before = name === branchRef(row.default_branch) ? readRef(tx.db, row.id, name) : null
    if (before !== null)
      auditRepo(tx, 'repo.protection_bypassed', row, {
        before: { [name]: before },
        after: { [name]: to },
        ...(signature && { certificate: signature.certificate }),
      })
  }
}

/** Names the two ways out: a pull request, and the setting. */
const protectedProblem = (branch: string, isAdmin: boolean): string =>
  `${branch} is protected. Push a branch and open a pull request, or ${
    isAdmin
      ? 'turn on "Admins may push to the protected branch" in the settings of the repository'
      : 'ask an administrator'
  }`

/** Why the built-in rules refuse this move, as one line for the pusher; null when they allow it. */
export function findPushProblem(
  db: Db,
  { row, can }: PushTarget,
  { name, new: to, forced = false }: RefUpdate & { readonly forced?: boolean },
): string | null {
  const branch = branchOf(name)
  const tag = tagOf(name)
  const isOther = branch === null && tag === null
  if (isOther && row.parent_id !== null)
    return 'only branches (refs/heads/) and tags (refs/tags/) can be pushed here'
  if (isReservedRef(name)) return 'refs of this namespace belong to the forge'
  const problem =
    refNameProblem(name) ??
    (to === null || isOther
      ? null
      : shortNameProblem(branch !== null ? 'heads' : 'tags', branch ?? tag ?? ''))
  if (problem) return `this name ${problem}`
  if (row.parent_id !== null) return null
  // Everyone who can push may create the missing default branch, because the first push to a
  // repository does that.
  if (branch === row.default_branch && readRef(db, row.id, name) !== null) {
    if (to === null) return 'the default branch cannot be deleted'
    if (row.protected === 1 && !(settingsOf(row).admins_may_push && can('admin')))
      return protectedProblem(branch, can('admin'))
    if (row.protected === 1 && forced)
      return `${branch} is protected. Force pushes are refused, also for admins. Revert commits with new ones, or push another branch`
  }
  if (tag !== null && to === null && !can('maintain'))
    return 'deleting a tag needs the role maintain'
  return null
}
