/**
 * Acceptance checks of pull requests. The commands of the issue run when a pull request becomes
 * ready and after each push while it is open. Results are added to its session. Commands run on
 * this server, so both the author of the commands and the author of the code must be trusted. Where
 * one of them lacks write, the setting `outside_runs` says whether a person with write must approve
 * the run.
 */
import { handler, listEvents, reaction } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import {
  checksCompleted,
  checksFinished,
  checksOfRun,
  currentRun,
  dropChecks,
  wasApprovedHere,
  startChecks,
  type CheckResult,
} from '#features/checks/index.ts'
import { findIssue, issueUpdated, listLinks } from '#features/issues/index.ts'
import { contextOf, type PullContext } from '../pull-context.ts'
import { pullClosed, pullMerged, pullOpened, pullReady, pullUpdated } from '../events.ts'
import { personCanWrite, principalOf } from '../permissions.ts'
import { addServiceEntry } from '../sessions/session.ts'
import { findPull, touchPull, type PullRow } from '../store-pulls.ts'

/** Why the commands need approval before they run. */
type ApprovalNeed = { readonly why: string; readonly never: boolean }

/**
 * Whether code or commands of an actor may run without approval: people with write, their agents,
 * and tokens of the workspace.
 */
function isTrusted(hearth: Hearth, { repo, full_name }: PullContext, actor_id: string): boolean {
  const actor = actorOf(hearth, actor_id)
  if (actor.kind === 'workspace') return actor.id === repo.workspace_id
  return personCanWrite(hearth, full_name, principalOf(actor))
}

/** The author of the present commands: whoever changed them last, else the author of the issue. */
function commandAuthors(tx: Tx, repo_id: string, issue: number, author_id: string): string {
  const changes = listEvents(tx.db, {
    repo_id,
    number: issue,
    types: [issueUpdated.type],
    limit: 200,
  })
  const last = changes.find(
    ({ data }) => Array.isArray(data.changed) && data.changed.includes('checks'),
  )
  return last?.actor_id ?? author_id
}

function approvalNeedOf(
  tx: Tx,
  context: PullContext,
  pull: PullRow,
  commands_by: string,
): ApprovalNeed | null {
  const { outside_runs } = context.settings
  const author = actorOf(tx.hearth, pull.author_id)
  const strangers = [
    ...(isTrusted(tx.hearth, context, pull.author_id)
      ? []
      : [`the change is by ${author.username}`]),
    ...(isTrusted(tx.hearth, context, commands_by)
      ? []
      : [`the commands are by ${actorOf(tx.hearth, commands_by).username}`]),
  ]
  if (strangers.length === 0 || outside_runs === 'always') return null
  const why = `${strangers.join(' and ')}, without write here`
  if (outside_runs === 'never')
    return { never: true, why: `${why}; this repository never runs such checks` }
  if (outside_runs === 'approve_first' && wasApprovedHere(tx, pull.repo_id, principalOf(author)))
    return null
  return { never: false, why: `${why}: somebody with write must look at them and let them run` }
}

export type PullCommands = {
  /** The person with write who approved the run. */
  readonly approved_by?: string | null
}

/** The commands of a pull request and why they need approval; null when it has no commands. */
export function commandsOfPull(
  tx: Tx,
  context: PullContext,
  pull: PullRow,
): {
  issue: number
  commands: readonly string[]
  doubt: ApprovalNeed | null
  principal_id: string
} | null {
  const issue = pull.issue === null ? null : findIssue(tx.db, pull.repo_id, pull.issue)
  if (!issue || issue.checks.length === 0) return null
  const doubt = approvalNeedOf(
    tx,
    context,
    pull,
    commandAuthors(tx, pull.repo_id, issue.number, issue.author_id),
  )
  return {
    issue: issue.number,
    commands: issue.checks,
    doubt,
    principal_id: principalOf(actorOf(tx.hearth, pull.author_id)),
  }
}

/**
 * Starts the checks of the present head and replaces a run in progress. Returns the id of the run,
 * or null without commands.
 */
export function startPullChecks(
  tx: Tx,
  pull: PullRow,
  { approved_by = null }: PullCommands = {},
): string | null {
  const context = contextOf(tx.db, pull.repo_id)
  if (pull.status !== 'open' || pull.head_sha === null) return null
  const asked = commandsOfPull(tx, context, pull)
  const doubt = asked?.doubt ?? null
  return startChecks(tx, {
    repo_id: pull.repo_id,
    number: pull.number,
    issue: pull.issue,
    commands: asked?.commands ?? [],
    head_sha: pull.head_sha,
    base_sha: pull.base_sha,
    purpose: 'pull',
    timeout_minutes: context.settings.check_timeout_minutes,
    principal_id: asked?.principal_id ?? principalOf(actorOf(tx.hearth, pull.author_id)),
    approved_by: doubt === null ? null : approved_by,
    doubt: doubt && !doubt.never ? doubt.why : null,
    refused: doubt?.never ? doubt.why : null,
  })
}

const at = (tx: Tx, repo_id: string | null, number: number): PullRow | null =>
  repo_id === null ? null : findPull(tx.db, repo_id, number)

const onOpened = reaction(
  'checks begin with an open pull request',
  pullOpened,
  (tx, { repo_id, data }) => {
    const pull = at(tx, repo_id, data.number)
    if (pull) startPullChecks(tx, pull)
  },
)

const onReady = reaction(
  'checks begin when a pull request is ready',
  pullReady,
  (tx, { repo_id, data }) => {
    const pull = at(tx, repo_id, data.number)
    if (pull) startPullChecks(tx, pull)
  },
)

/**
 * A new head or base starts new checks. A reopened pull request keeps the results of an unchanged
 * head.
 */
const onUpdated = reaction('checks follow pull requests', pullUpdated, (tx, { repo_id, data }) => {
  const pull = at(tx, repo_id, data.number)
  if (!pull) return
  if (data.changed.includes('head')) dropChecks(tx, pull.repo_id, pull.number, 'pull')
  const anew =
    data.changed.includes('head') ||
    data.changed.includes('base') ||
    (data.changed.includes('status') && currentRun(tx.hearth, pull) === null)
  if (anew) startPullChecks(tx, pull)
})

const dropPullChecks = (tx: Tx, repo_id: string | null, number: number): void => {
  if (repo_id !== null) dropChecks(tx, repo_id, number, 'pull')
}
const onClosed = reaction(
  'checks end with a closed pull request',
  pullClosed,
  (tx, { repo_id, data }) => dropPullChecks(tx, repo_id, data.number),
)
const onMerged = reaction(
  'checks end with a merged pull request',
  pullMerged,
  (tx, { repo_id, data }) => dropPullChecks(tx, repo_id, data.number),
)

/** Changed commands of an issue start new checks of its pull requests. */
const onIssue = reaction(
  'checks follow the commands of their issue',
  issueUpdated,
  (tx, { repo_id, data }) => {
    if (repo_id === null || !data.changed.includes('checks')) return
    for (const { pull_number } of listLinks(tx.db, repo_id, [data.number])) {
      const pull = findPull(tx.db, repo_id, pull_number)
      if (pull) startPullChecks(tx, pull)
    }
  },
)

const onCompleted = reaction(
  'pull requests show that checks completed',
  checksCompleted,
  (tx, { repo_id, data }) => {
    if (repo_id !== null) touchPull(tx, repo_id, data.number)
  },
)

/**
 * The end of a command's output as a fenced Markdown block. The fence is longer than any run of
 * backticks in the output.
 */
function fencedTail(output: string): string {
  const lines = output.trimEnd().split('\n').slice(-MAX_SHOWN_LINES).join('\n')
  const longest = Math.max(2, ...[...lines.matchAll(/`+/g)].map(({ 0: run }) => run.length))
  const fence = '`'.repeat(longest + 1)
  return lines === '' ? '' : `\n\n${fence}\n${lines}\n${fence}`
}

const MAX_SHOWN_LINES = 20

function resultText({ status, exit_code, duration_ms, output_tail }: CheckResult): string {
  const took = duration_ms === null ? '' : ` after ${(duration_ms / 1000).toFixed(1)} seconds`
  if (status === 'passed') return `Passed${took}.`
  if (status === 'failed')
    return `Failed${exit_code === null ? '' : ` with exit code ${exit_code}`}${took}.${fencedTail(output_tail)}`
  return status === 'errored' ? `Did not finish.${fencedTail(output_tail)}` : 'Was not run.'
}

/** Adds the result of each command to the session, where agents that work on the change read it. */
const noteResults = handler(
  'sessions tell what came of checks',
  checksFinished,
  (tx, { run_id, repo_id, number, purpose }) => {
    const pull = findPull(tx.db, repo_id, number)
    const checks = purpose === 'pull' && pull ? checksOfRun(tx.hearth, run_id) : null
    if (!pull || !checks || checks.sha !== pull.head_sha) return
    for (const result of checks.results) {
      const { id, command, status, exit_code, duration_ms } = result
      addServiceEntry(tx, pull.id, {
        kind: 'check',
        text: resultText(result),
        data: { command, status, check: id, exit_code, duration_ms },
      })
    }
  },
)

export const checkReactions = [
  onOpened,
  onReady,
  onUpdated,
  onClosed,
  onMerged,
  onIssue,
  onCompleted,
]
export const checkHandlers = [noteResults]
