/**
 * What happens to an entry, with all that belongs to it: its event, its checks, and the comment
 * that says why it left.
 */
import type { Tx } from '#core/write.ts'
import { checksOfRun, dropChecks } from '#features/checks/index.ts'
import { commentCreated, insertComment } from '#features/issues/index.ts'
import { contextOf, endMergingByItself, subjectOf } from '#features/pulls/index.ts'
import { queueChanged } from './events.ts'
import type { QueueState } from './schema.ts'
import { findEntry, positionOf, setEntry, type EntryRow } from './store.ts'
import { driveSoon } from './wake.ts'

/** The service did it by itself. */
const BY_ITSELF = { actor_id: null }

/** Tells how an entry stands now. `as` null: whoever called. */
export function announce(
  tx: Tx,
  id: string,
  as: { actor_id: string | null } | undefined = BY_ITSELF,
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

/** Another state on the way to landing. */
export function advance(
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
  announce(tx, entry.id)
}

/** Takes the candidate from an entry: it gets another one. `note` says why, for people. */
export function resetEntry(
  tx: Tx,
  entry: EntryRow,
  { attempt = entry.attempt, note = null }: { attempt?: number; note?: string | null } = {},
): void {
  dropChecks(tx, entry.repo_id, entry.number, 'queue')
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
  if (entry.state !== 'queued') announce(tx, entry.id)
}

export type Leaving = {
  readonly state: 'failed' | 'removed'
  /** One word; part of the public interface. */
  readonly reason: string
  /** The same in words that follow "it left the merge queue:". */
  readonly note: string
  /** The person who took it out; null when nobody did. */
  readonly by?: string | null
}

/** An entry leaves without landing. What is behind it is built anew without it. */
export function leave(tx: Tx, entry: EntryRow, { state, reason, note, by = null }: Leaving): void {
  dropChecks(tx, entry.repo_id, entry.number, 'queue')
  setEntry(tx, entry.id, { state, reason, note, place: null, settled_at: tx.now })
  announce(tx, entry.id, by === null ? BY_ITSELF : { actor_id: by })
  comment(tx, entry, note, by)
  // Nothing about it has changed, so merging by itself would put it in again, for ever, or against
  // somebody's will.
  if (state === 'failed' || by !== null)
    endMergingByItself(tx, entry.pull_id, `it left the merge queue: ${note}`)
  driveSoon(tx, entry)
}

/** An entry has landed; called in the transaction that moves the base. */
export function setLanded(tx: Tx, entry: EntryRow): void {
  setEntry(tx, entry.id, { state: 'landed', place: null, note: null, settled_at: tx.now })
  announce(tx, entry.id)
  driveSoon(tx, entry)
}

/** Said in the conversation of the pull request: by whoever took it out, else by the workspace. */
function comment(tx: Tx, entry: EntryRow, note: string, by: string | null): void {
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
