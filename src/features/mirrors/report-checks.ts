/** Reports the results of commits to the remote of a link, as commit statuses there. */
import type { Reaction } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { commitContextsOf, fullName, refsOf, repoById } from '#features/repos/index.ts'
import { RemoteError, type Oid } from '#git'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { MINUTE, SECOND } from '#lib/time.ts'
import { openCredentials } from './remote.ts'
import { isKnownProvider, sendStatus, type StatusProblem } from './status-api.ts'
import { findMirror, listMirrors, setMirror, type MirrorRow } from './store.ts'

/** Results that come together become one report. */
const DELAY_MS = 2 * SECOND
/** The commit may still be on its way to the remote, or the remote is away. */
const RETRY_DELAYS_MS = [MINUTE, 10 * MINUTE, 60 * MINUTE]
const MAX_STATUSES = 100
const MAX_TIPS = 100

type ReportInput = {
  readonly id: string
  /** Null for the tips of all branches, after a hand-back. */
  readonly sha: string | null
  readonly attempt: number
}

export const reportChecks = job<ReportInput>({
  kind: 'report_checks',
  queue: 'mirrors',
  retry: ['1m'],
  run: async ({ hearth, signal }, input) => {
    const row = findMirror(hearth.db, input.id)
    if (!row || !reports(row)) return
    const shas = input.sha === null ? tipsOf(hearth, row.repo_id) : [input.sha as Oid]
    const failed = await report(hearth, row, shas, signal).catch((error: unknown) => {
      if (signal.aborted || !(error instanceof OutboundError || error instanceof RemoteError))
        throw error
      return { problem: error.message, isTemporary: error instanceof OutboundError }
    })
    await writeAs(hearth, null, (tx) => {
      if (findMirror(tx.db, row.id) === null) return
      const delay_ms = RETRY_DELAYS_MS[input.attempt]
      if (failed?.isTemporary && delay_ms !== undefined)
        enqueueReport(tx, row.id, input.sha, { attempt: input.attempt + 1, delay_ms })
      setMirror(tx, row.id, { checks_problem: failed?.problem ?? null })
    })
  },
})

/** Whether results go to the remote now: during a takeover it has none of the commits. */
const reports = ({ report_checks, provider, secret, state }: MirrorRow): boolean =>
  report_checks === 1 &&
  isKnownProvider(provider) &&
  secret !== null &&
  !['setting_up', 'takeover', 'handing_back', 'paused', 'failed'].includes(state)

const tipsOf = (hearth: Hearth, repo_id: string): Oid[] =>
  refsOf(hearth, repo_id)
    .refs.filter(({ name }) => name.startsWith('refs/heads/'))
    .slice(0, MAX_TIPS)
    .map(({ oid }) => oid)

/** Sends the statuses one after the other. Returns the first problem. */
async function report(
  hearth: Hearth,
  row: MirrorRow,
  shas: readonly Oid[],
  signal: AbortSignal,
): Promise<StatusProblem | null> {
  const secret = openCredentials(hearth, row)
  if (secret === null || !isKnownProvider(row.provider)) return null
  const from = { provider: row.provider, url: row.url, secret }
  const site = `${hearth.settings.site_url}/${fullName(hearth.db, row.repo_id)}`
  for (const sha of shas)
    for (const { context, state } of commitContextsOf(hearth, row.repo_id, sha).slice(
      0,
      MAX_STATUSES,
    )) {
      const status = { sha, context, state, url: `${site}/commit/${sha}` }
      const failed = await sendStatus(hearth, from, status, signal)
      if (failed !== null) return failed
    }
  return null
}

export const enqueueReport = (
  tx: Tx,
  id: string,
  sha: string | null,
  { attempt = 0, delay_ms = DELAY_MS } = {},
): void =>
  void tx.enqueue(reportChecks, { id, sha, attempt }, { key: `${id} ${sha ?? 'tips'}`, delay_ms })

/**
 * Why results do not reach the remote; null when they do or should not. A link that cannot report
 * says so before the first result.
 */
export function problemOfChecks(row: MirrorRow): string | null {
  if (row.report_checks === 0) return null
  if (row.role === 'leader' && !isKnownProvider(row.provider))
    return 'the mirror was created without the kind of its forge, so results of checks are not reported'
  if (row.role === 'leader' && row.secret === null)
    return 'the mirror has no token, so results of checks are not reported'
  return row.checks_problem
}

/** While the remote leads, workflows that run here to keep warm report nothing. */
const isQuiet = ({ role, keep_ci_warm, state }: MirrorRow): boolean =>
  role === 'leader' && keep_ci_warm === 1 && state === 'standing_by'

const onResult = (on: string): Reaction => ({
  on,
  name: `mirrors report ${on} to their remotes`,
  run: (tx, { repo_id, data }) => {
    const repo = repo_id === null ? null : repoById(tx.db, repo_id)
    if (!repo || repo.parent_id !== null || typeof data.sha !== 'string') return
    for (const row of listMirrors(tx.db, repo.id))
      if (reports(row) && !(on === 'workflow.completed' && isQuiet(row)))
        enqueueReport(tx, row.id, data.sha)
  },
})

/** Leaves do not name each other, so the events are known by their public names. */
export const reportReactions = ['commit.status', 'workflow.completed'].map(onResult)
