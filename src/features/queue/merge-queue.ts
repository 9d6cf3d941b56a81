/** The merge queue as the extension of pull requests that takes merges. */
import type { Tx } from '#core/write.ts'
import {
  commandsOfPull,
  type MergeOptions,
  type MergeQueue,
  type PullContext,
  type PullRow,
} from '#features/pulls/index.ts'
import { typeId } from '#core/ids.ts'
import { appendQueueChanged } from './entry-changes.ts'
import { findWaiting, insertEntry, positionsOf } from './store.ts'
import { advanceSoon } from './request-advance.ts'

function add(
  tx: Tx,
  context: PullContext,
  pull: PullRow,
  { by, method, message, keep_issue_open }: MergeOptions,
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
    commands: JSON.stringify(commandsOfPull(tx, context, pull)?.commands ?? []),
    head_sha: pull.head_sha,
    queued_by: by.id,
    token_id: by.token?.id ?? null,
  })
  appendQueueChanged(tx, id, { actor_id: by.id })
  advanceSoon(tx, pull)
}

export const mergeQueue: MergeQueue = {
  accepts: (_, { settings }) => settings.merge_queue,
  add,
  positionsOf,
}
