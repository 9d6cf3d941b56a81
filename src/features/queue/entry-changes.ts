/**
 * Changes of entries, each with its event, its checks, and the comment that says why an entry left.
 */
import type { Tx } from '#core/write.ts'
import { checksOfRun, dropChecks } from '#features/checks/index.ts'
import { commentCreated, insertComment } from '#features/issues/index.ts'
import { contextOf, disableAutoMerge, subjectOf } from '#features/pulls/index.ts'
import { dropGates } from './candidate-gates.ts'
import { queueChanged } from './events.ts'
import type { QueueState } from './schema.ts'
import { findEntry, positionOf, setEntry, type EntryRow } from './store.ts'
import { advanceSoon } from './request-advance.ts'

/** The actor of changes by the service. */
const BY_SERVICE = { actor_id: null }

/** Appends `queue.changed` for the present state of an entry. `as` null means the caller. */
export function appendQueueChanged(
  tx: Tx,
  id: string,
  as: { actor_id: string | null } | undefined = BY_SERVICE,
): void {
  const entry = findEntry(tx.db, id)
  if (!entry) return
  const { number, state, reason } = entry
  tx.append(
    queueChanged,
    subjectOf(contextOf(tx.db, entry.repo_id)),
    { number, entry: id, state, reason, position: positionOf(tx.db, entry) },
    as,
  )
}

/** Moves an entry to its next state. */
export function setState(
  tx: Tx,
  entry: EntryRow,
  state: Extract<QueueState, 'testing' | 'passed' | 'landing'>,
): void {
  if (entry.state === state) return
  setEntry(tx, entry.id, {
    state,
    ...(state === 'passed' && entry.passed_at === null ? { passed_at: tx.now } : {}),
    note: null,
  })
  appendQueueChanged(tx, entry.id)
}

/** Removes the candidate of an entry, so that another is built. `note` is the reason for people. */
export function resetEntry(
  tx: Tx,
  entry: EntryRow,
  { attempt = entry.attempt, note = null }: { attempt?: number; note?: string | null } = {},
): void {
  dropChecks(tx, entry.repo_id, entry.number, 'queue')
  dropGates(tx, entry)
  setEntry(tx, entry.id, {
    state: 'queued',
    attempt,
    base_sha: null,
    rests_on: null,
    candidate_sha: null,
    candidate_tree: null,
    run_id: null,
    verdict: null,
    started_at: null,
    passed_at: null,
    note,
  })
  if (entry.state !== 'queued') appendQueueChanged(tx, entry.id)
}

export type RemovalReason = {
  readonly state: 'failed' | 'removed'
  /** One word; part of the public interface. */
  readonly reason: string
  /** The reason for people, continuing "it left the merge queue:". */
  readonly note: string
  /** The person who removed it; null for the service. */
  readonly by?: string | null
}

/** Removes an entry that did not land. Entries behind it are rebuilt without it. */
export function removeEntry(
  tx: Tx,
  entry: EntryRow,
  { state, reason, note, by = null }: RemovalReason,
): void {
  dropChecks(tx, entry.repo_id, entry.number, 'queue')
  dropGates(tx, entry)
  setEntry(tx, entry.id, { state, reason, note, place: null, settled_at: tx.now })
  appendQueueChanged(tx, entry.id, by === null ? BY_SERVICE : { actor_id: by })
  commentRemoval(tx, entry, note, by)
  // Auto-merge would add the same entry again, for ever or against the person's will.
  if (state === 'failed' || by !== null)
    disableAutoMerge(tx, entry.pull_id, `it left the merge queue: ${note}`)
  advanceSoon(tx, entry)
}

/** Marks an entry as landed; called in the transaction that moves the base. */
export function setLanded(tx: Tx, entry: EntryRow): void {
  dropGates(tx, entry)
  setEntry(tx, entry.id, { state: 'landed', place: null, note: null, settled_at: tx.now })
  appendQueueChanged(tx, entry.id)
  advanceSoon(tx, entry)
}

/** Comments on the pull request, as the person who removed the entry, else as the workspace. */
function commentRemoval(tx: Tx, entry: EntryRow, note: string, by: string | null): void {
  const context = contextOf(tx.db, entry.repo_id)
  const page = `${tx.hearth.settings.site_url}/${context.full_name}/queue`
  const broken =
    entry.verdict === null || entry.run_id === null
      ? undefined
      : checksOfRun(tx.hearth, entry.run_id)?.results.find(
          ({ status }) => status === 'failed' || status === 'errored',
        )
  const links = [
    ...(broken?.log_url ? [`[Output of the check](${broken.log_url})`] : []),
    `[Merge queue](${page})`,
  ]
  const author_id = by ?? context.repo.workspace_id
  const { repo_id, number } = entry
  const id = insertComment(tx, {
    repo_id,
    number,
    author_id,
    body: `This left the merge queue: ${note}.\n\n${links.join(' · ')}`,
  })
  tx.append(
    commentCreated,
    subjectOf(context),
    { number, comment: id, review: null, verdict: null, path: null, line: null },
    { actor_id: author_id },
  )
}
