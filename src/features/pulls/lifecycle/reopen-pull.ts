import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { updateLink } from '#features/issues/index.ts'
import { branchRef, readRef } from '#features/repos/index.ts'
import type { Db } from '#core/db.ts'
import type { Oid } from '#git'
import { conflict } from '#lib/errors.ts'
import { contextOf } from '../pull-context.ts'
import { onPull } from '../inputs.ts'
import { pullRecord } from '../pull-record.ts'
import { requireAuthorOr } from '../permissions.ts'
import { Pull } from '../schema.ts'
import { updateOpenPulls } from './settle.ts'
import { enqueueStats } from '../changes/stats.ts'
import {
  findActiveForBranch,
  insertHead,
  isActive,
  requirePull,
  setReopened,
  type PullRow,
} from '../store-pulls.ts'
import { appendPullUpdated } from './append-updated.ts'
import { inPull } from '../untrusted-texts.ts'

export const reopenPull = operation({
  name: 'reopen_pull',
  summary:
    'Reopen a closed pull request, as a draft or open as it was. Its author, or triage. Not when it was merged or superseded, or when its branch or fork is gone.',
  keywords: ['open a pull request again', 'reopen a PR'],
  route: 'POST /repos/{owner}/{name}/pulls/{number}/reopen',
  toolset: 'pulls',
  listed: 'default',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object(onPull),
  output: Pull,
  untrusted: inPull,

  handler: ({ hearth, repo, caller, write }, { number }) =>
    write((tx) => {
      const pull = requirePull(tx.db, repo.id, number)
      requireAuthorOr(hearth, repo, pull, caller, 'triage')
      const context = contextOf(tx.db, repo.id)
      if (isActive(pull)) return pullRecord(hearth, pull, context)
      const { head, base_sha } = requireReopenable(tx.db, pull)
      setReopened(tx, pull, {
        status: pull.closed_from ?? 'draft',
        base_sha,
        head_ref: head?.ref ?? null,
        head_sha: head?.sha ?? null,
      })
      if (head) insertHead(tx, pull.id, head.sha)
      const now = requirePull(tx.db, repo.id, number)
      updateLink(tx, repo.id, number, { status: now.status })
      updateOpenPulls(tx, now)
      enqueueStats(tx, now)
      appendPullUpdated(tx, context, now, ['status'])
      return pullRecord(hearth, now, context)
    }),
})

/**
 * The present head and base, which may have moved while it was closed. Throws 409 when one of them
 * is gone.
 */
function requireReopenable(
  db: Db,
  pull: PullRow,
): { head: { ref: string; sha: Oid } | null; base_sha: Oid } {
  const refuse = (why: string) => conflict('not_open', `#${pull.number} cannot be reopened: ${why}`)
  if (pull.status === 'merged') throw refuse('it is merged')
  if (pull.superseded_by !== null) throw refuse(`#${pull.superseded_by} was merged in its place`)
  const base_sha = readRef(db, pull.repo_id, branchRef(pull.base_ref))
  if (base_sha === null) throw refuse(`its base ${pull.base_ref} is gone`)
  const place = pull.branch === null ? pull.fork_id : pull.repo_id
  if (place === null) throw refuse('its fork was removed')
  if (pull.head_ref === null) return { head: null, base_sha }
  const sha = readRef(db, place, branchRef(pull.head_ref))
  if (sha === null) throw refuse(`its branch ${pull.head_ref} is gone`)
  const other =
    pull.branch === null ? null : findActiveForBranch(db, pull.repo_id, pull.branch, pull.base_ref)
  if (other)
    throw conflict(
      'already_exists',
      `#${other.number} is open for ${pull.branch} into ${pull.base_ref}`,
      { number: other.number },
    )
  return { head: { ref: pull.head_ref, sha }, base_sha }
}
