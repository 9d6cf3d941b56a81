/**
 * Reactions to events, in their transaction: they store what people must be notified of, and
 * nothing more. Notifying is a job, because it may concern thousands of people. The stored work
 * commits with the event, so none is lost or repeated.
 */
import { handler, reactionToAll, type EventRow, type Handler, type Reaction } from '#core/events.ts'
import { actorId } from '#core/caller.ts'
import { service } from '#core/service.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import { actorOf } from '#features/accounts/index.ts'
import { commentEdited, referenceImported } from '#features/issues/index.ts'
import { sessionAsked } from '#features/pulls/index.ts'
import { invitationChanged } from '#features/workspaces/index.ts'
import { newlyRequested } from './requested-people.ts'
import { notifyInvitation } from './invitations.ts'
import { settleQuestion, notifyQuestion } from './questions.ts'
import { deliverNotifications } from './deliver-notifications.ts'
import { DESCRIPTION } from '../references/read-texts.ts'
import { addReference } from '../references/store-references.ts'
import { insertActivity, settingsOf } from '../settings/store-settings.ts'
import { insertWork, setWork } from './store-work.ts'
import { eventRule, recordRule, type Work } from './work.ts'

type RecordWork = Extract<Work, { kind: 'record' }>

/** Changes of one record in one transaction share one piece of work. */
type RecordWorkByKey = Map<string, { seq: number; work: RecordWork }>

const recordWork = service('notification work', () => new WeakMap<Tx, RecordWorkByKey>())

function enqueueDelivery(tx: Tx): void {
  tx.enqueue(deliverNotifications, null, { key: 'all' })
}

function addRecordWork(tx: Tx, event: EventRow, repo_id: string, number: number): void {
  const rule = recordRule(event)
  if (!rule) return
  // Reviewers of a new pull request are requested after its event, so the job reads them.
  const asked = rule.asks && event.type !== 'pull.opened' ? newlyRequested(tx, repo_id, number) : []
  const ofTransaction = recordWork(tx.hearth)
  const known: RecordWorkByKey = ofTransaction.get(tx) ?? new Map()
  ofTransaction.set(tx, known)
  const key = `${repo_id} ${number} ${event.actor_id ?? ''}`
  const before = known.get(key)
  if (before) {
    const work = {
      ...before.work,
      events: [...before.work.events, event.id],
      asked: [...before.work.asked, ...asked],
    }
    setWork(tx, before.seq, work)
    known.set(key, { seq: before.seq, work })
    return
  }
  const work: RecordWork = {
    kind: 'record',
    repo_id,
    number,
    actor_id: event.actor_id,
    events: [event.id],
    asked,
  }
  known.set(key, { seq: insertWork(tx, work), work })
  enqueueDelivery(tx)
}

/** Stores the activity of an agent for the digest of its person. */
function addAgentActivity(tx: Tx, event: EventRow): void {
  if (event.actor_id === null || !event.actor_id.startsWith('agt_')) return
  const owner = actorOf(tx.hearth, event.actor_id).on_behalf_of
  if (owner && settingsOf(tx.db, owner.id).digest !== 'off') insertActivity(tx, owner.id, event.id)
}

const followEvents = reactionToAll('notifications note what happened', (tx, event) => {
  addAgentActivity(tx, event)
  if (event.repo_id === null) return
  const { number } = event.data
  if (typeof number === 'number') addRecordWork(tx, event, event.repo_id, number)
  if (eventRule(event)) {
    insertWork(tx, { kind: 'event', event_id: event.id })
    enqueueDelivery(tx)
  }
})

const followEdits = handler(
  'notifications read edited comments',
  commentEdited,
  (tx, { repo_id, number, comment }) => {
    insertWork(tx, {
      kind: 'text',
      repo_id,
      number,
      text_id: comment,
      actor_id: tx.caller && actorId(tx.caller),
    })
    enqueueDelivery(tx)
  },
)

const followImportedReferences = handler(
  'references come with an import',
  referenceImported,
  (tx, { repo_id, number, target, actor_id, at }) =>
    addReference(
      tx,
      { repo_id, number, text_id: DESCRIPTION },
      { repo_id, target: String(target) },
      { actor_id, at: at as Timestamp },
    ),
)

const followInvitations = handler(
  'notifications tell of invitations',
  invitationChanged,
  (tx, { id, state }) => notifyInvitation(tx, id, state),
)

const followQuestions = handler(
  'notifications tell who is waited for',
  sessionAsked,
  (tx, asked) => {
    if (asked.kind === 'question') notifyQuestion(tx, asked)
    else settleQuestion(tx, asked)
  },
)

export const reactions: readonly Reaction[] = [followEvents]
export const handlers: readonly Handler[] = [
  followEdits,
  followImportedReferences,
  followInvitations,
  followQuestions,
] as Handler[]
