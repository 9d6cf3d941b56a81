/** The merge queue as the place where merges go: the answer to the point of pull requests. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import {
  askedChecks,
  type Landing,
  type LandingPlace,
  type PullContext,
  type PullRow,
} from '#features/pulls/index.ts'
import { typeId } from '#lib/typeid.ts'
import { announce } from './change.ts'
import { findWaiting, insertEntry, positionOf } from './store.ts'
import { driveSoon } from './wake.ts'

function add(
  tx: Tx,
  context: PullContext,
  pull: PullRow,
  { by, method, message, keep_issue_open }: Landing,
): void {
  if (findWaiting(tx.db, pull.repo_id, pull.number)) return
  if (pull.head_sha === null) throw new TypeError('what has no head cannot be queued')
  const id = typeId('mqe', tx.now_ms)
  insertEntry(tx, {
    id,
    repo_id: pull.repo_id,
    pull_id: pull.id,
    number: pull.number,
    base_ref: pull.base_ref,
    method,
    message,
    keep_issue_open: keep_issue_open ? 1 : 0,
    commands: JSON.stringify(askedChecks(tx, context, pull)?.commands ?? []),
    head_sha: pull.head_sha,
    queued_by: by.id,
    token_id: by.token?.id ?? null,
  })
  announce(tx, id, { actor_id: by.id })
  driveSoon(tx, pull)
}

function placeOf(db: Db, pull: PullRow): { position: number; state: string; entry: string } | null {
  const entry = findWaiting(db, pull.repo_id, pull.number)
  const position = entry && positionOf(db, entry)
  return entry && position !== null ? { position, state: entry.state, entry: entry.id } : null
}

export const mergeQueue: LandingPlace = {
  takes: (_, { settings }) => settings.merge_queue,
  add,
  placeOf,
}
