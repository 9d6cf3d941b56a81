/** Builds the commit that an entry would land as, and starts its tests. */
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { checksOfRun, currentRun, startChecks } from '#features/checks/index.ts'
import {
  commandsOfPull,
  buildLanding,
  restoreCaller,
  contextFor,
  contextOf,
  findPullById,
} from '#features/pulls/index.ts'
import { isTypeId } from '#core/ids.ts'
import { Refusal } from '#lib/errors.ts'
import { setState, removeEntry } from './entry-changes.ts'
import type { NextCandidate } from './chain.ts'
import { findEntry, setEntry, type EntryRow, type CandidateVerdict } from './store.ts'
import { startGates } from './candidate-gates.ts'
import { endGates, endTests, takeOverResult } from './candidate-tests.ts'
import { limitsOf } from './queue-settings.ts'

type BuiltCandidate =
  | { readonly commit: string; readonly tree: string }
  | { readonly verdict: CandidateVerdict; readonly note: string | null }

/** Builds a candidate and starts its tests. A failure becomes the verdict of the entry. */
export async function buildCandidate(
  hearth: Hearth,
  build: NextCandidate,
  signal: AbortSignal,
): Promise<void> {
  const made = await mergeCandidate(hearth, build, signal)
  await writeAs(hearth, null, (tx) => {
    const entry = findEntry(tx.db, build.entry.id)
    // It left, moved, or was invalidated meanwhile, so the result is obsolete.
    if (
      entry?.state !== 'queued' ||
      entry.candidate_sha !== null ||
      entry.head_sha !== build.entry.head_sha
    )
      return
    const on = { base_sha: build.on, rests_on: build.rests_on }
    if ('verdict' in made) setEntry(tx, entry.id, { ...on, verdict: made.verdict, note: made.note })
    else {
      setEntry(tx, entry.id, {
        ...on,
        candidate_sha: made.commit,
        candidate_tree: made.tree,
        started_at: tx.now,
      })
      startTests(tx, { ...entry, ...on, candidate_sha: made.commit })
    }
  })
}

async function mergeCandidate(
  hearth: Hearth,
  { entry, on }: NextCandidate,
  signal: AbortSignal,
): Promise<BuiltCandidate> {
  try {
    const pull = findPullById(hearth.db, entry.pull_id)
    const by = restoreCaller(hearth, entry.repo_id, entry.queued_by, entry.token_id)
    if (!pull || !by)
      return { verdict: 'internal', note: 'whoever queued it, or their token, is gone' }
    const context = contextFor(hearth, contextOf(hearth.db, entry.repo_id), entry.base_ref, {
      pull,
      by,
    })
    const { mergeBase } = await hearth.git.countAheadBehind(context.repo.store, entry.head_sha, on)
    return await buildLanding(hearth, by, context, pull, {
      base: on,
      head: entry.head_sha,
      merge_base: mergeBase,
      method: entry.method,
      message: entry.message,
    })
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof Refusal && error.reason === 'conflicts')
      return { verdict: 'conflicts', note: error.message }
    // A candidate that cannot be built must not block the others.
    hearth.log.error('a candidate of the merge queue could not be built', {
      entry: entry.id,
      repo: entry.repo_id,
      pull: entry.number,
      on,
      error,
    })
    return { verdict: 'internal', note: null }
  }
}

/** Starts the tests of a candidate. Without commands it has passed. */
function startTests(tx: Tx, entry: EntryRow): void {
  const pull = findPullById(tx.db, entry.pull_id)
  const context = contextOf(tx.db, entry.repo_id)
  const asked = pull && commandsOfPull(tx, context, pull)
  const commands = asked?.commands ?? []
  setState(tx, entry, 'testing')
  if (JSON.stringify(commands) !== entry.commands) {
    removeEntry(tx, entry, {
      state: 'removed',
      reason: 'checks_changed',
      note: 'the commands that must pass were changed',
    })
    return
  }
  const { timeout_minutes } = limitsOf(tx.hearth, context, entry.base_ref)
  const isGated = pull !== null && startGates(tx, entry, pull)
  if (isGated)
    tx.enqueue(
      endGates,
      { entry_id: entry.id, sha: entry.candidate_sha ?? '' },
      { delay_ms: timeout_minutes * 60_000 },
    )
  if (!pull || !asked || entry.candidate_sha === null) {
    if (!isGated) setState(tx, { ...entry, state: 'testing' }, 'passed')
    return
  }
  const { doubt, issue, principal_id } = asked
  // The run is approved by whoever approved it on the head, else by the person who requested the
  // merge.
  const approved_by =
    doubt === null
      ? null
      : (currentRun(tx.hearth, pull)?.approved_by ??
        (isTypeId(entry.queued_by, 'usr') ? entry.queued_by : null))
  const run_id = startChecks(tx, {
    repo_id: entry.repo_id,
    number: entry.number,
    issue,
    commands,
    head_sha: entry.head_sha,
    base_sha: null,
    merge_sha: entry.candidate_sha,
    purpose: 'queue',
    timeout_minutes,
    principal_id,
    approved_by,
    refused: doubt !== null && (doubt.never || approved_by === null) ? doubt.why : null,
  })
  setEntry(tx, entry.id, { run_id })
  if (run_id === null) return
  const now = findEntry(tx.db, entry.id)
  // A run that is refused has ended at once.
  if (now && checksOfRun(tx.hearth, run_id)?.status !== 'pending') takeOverResult(tx, now)
  else
    tx.enqueue(
      endTests,
      { entry_id: entry.id, run_id },
      { key: run_id, delay_ms: timeout_minutes * 60_000 },
    )
}
