/** Events that may start runs. Their transaction only adds a job. */
import { handler, reaction, reactionToAll, type EventRow } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import type { EventName } from '#actions'
import {
  branchRef,
  bulkPushes,
  remoteWorkflows,
  repoArchived,
  repoArrived,
  workflowsFailedOver,
} from '#features/repos/index.ts'
import type { Oid } from '#git'
import { isWithoutWorkflows } from '../files/commits-without-workflows.ts'
import { cancelRunNow } from '../runs/end-run.ts'
import { issueActions, pullActions } from './event-actions.ts'
import { runnerKinds } from '../extension-points.ts'
import { jobOfCaller } from '../jobs/job-token.ts'
import { findWorkflows, planRuns } from '../runs/plan-runs.ts'
import { listOpenRuns } from '../runs/store-runs.ts'
import { hasListener, listPresentWorkflows } from '../files/store-workflows.ts'

/** What a job does with its token starts nothing, so that no workflow starts itself for ever. */
function plan(tx: Tx, event: EventRow): void {
  if (runnerKinds(tx.hearth).length > 0 && jobOfCaller(tx.db, tx.caller) === null)
    tx.enqueue(planRuns, { event_id: event.id }, { key: event.id })
}

/** Events that are about a commit: its own files say whether they start. */
const startsOf = (event: EventRow): boolean =>
  (event.type === 'git.push' && event.data.after !== null) ||
  event.type === 'release.published' ||
  pullActions(event).length > 0 ||
  (event.type === 'comment.created' && event.data.review !== null && event.data.comment === null)

/** The event of the dialect that workflows of the default branch must name; null for none. */
function listenedName(event: EventRow): EventName | null {
  if (event.type === 'git.push') return 'delete'
  if (event.type === 'workflow.completed') return 'workflow_run'
  if (event.type === 'comment.created') return event.data.review === null ? 'issue_comment' : null
  return issueActions(event).length > 0 ? 'issues' : null
}

/** A push of a commit without workflows, to a repository whose default branch has none either. */
const startsNothing = (tx: Tx, repo_id: string, event: EventRow): boolean =>
  event.type === 'git.push' &&
  typeof event.data.after === 'string' &&
  isWithoutWorkflows(tx.hearth, event.data.after as Oid) &&
  listPresentWorkflows(tx.db, repo_id).length === 0

/** Of a push of thousands of refs only the default branch is looked at. */
const isOneOfThousands = (tx: Tx, { type, data }: EventRow): boolean =>
  type === 'git.push' &&
  bulkPushes(tx.hearth).has(tx) &&
  data.ref !== branchRef(String(data.default_branch))

const onEvent = reactionToAll('workflows run for events', (tx, event) => {
  const { repo_id } = event
  if (repo_id === null || isOneOfThousands(tx, event)) return
  if (event.type === 'git.push' && remoteWorkflows.all(tx.hearth).some((on) => on(tx.db, repo_id)))
    return
  if (startsNothing(tx, repo_id, event)) return
  if (startsOf(event)) return plan(tx, event)
  const name = listenedName(event)
  if (name !== null && hasListener(tx.db, repo_id, name)) plan(tx, event)
})

const onArchived = reaction(
  'archived repositories run nothing',
  repoArchived,
  (tx, { repo_id }) => {
    if (repo_id === null) return
    for (const run of listOpenRuns(tx.db, repo_id))
      cancelRunNow(tx, run, null, 'The repository was archived')
  },
)

/** Pushes that a remote should have checked, and has not. */
export const onFailedOver = handler(
  'workflows run for pushes that a remote does not check',
  workflowsFailedOver,
  (tx, { event_ids }) => {
    if (runnerKinds(tx.hearth).length === 0) return
    for (const event_id of event_ids) tx.enqueue(planRuns, { event_id }, { key: event_id })
  },
)

export const reactions = [onEvent, onArchived]

export const onArrived = handler(
  'workflows of a repository of another forge are listed',
  repoArrived,
  (tx, { repo_id }) => void tx.enqueue(findWorkflows, { repo_id }, { key: repo_id }),
)
