/**
 * What goes on beside every change, inside its transaction: it is noted what must be told, and
 * nothing more. Telling is a job, because it may concern thousands; the note is in the same commit
 * as the event, so none is lost and none is told of twice.
 */
import {
  follower,
  reactionToAll,
  type EventRow,
  type Follower,
  type Reaction,
} from '#core/events.ts'
import { actorId } from '#core/caller.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { commentEdited } from '#features/issues/index.ts'
import { sessionAsked } from '#features/pulls/index.ts'
import { invitationChanged } from '#features/workspaces/index.ts'
import { newlyAsked } from './asked.ts'
import { tellOfInvitation } from './invitations.ts'
import { settleQuestion, tellOfQuestion } from './questions.ts'
import { spreadNotifications } from './spread.ts'
import { noteActivity, settingsOf } from './store-settings.ts'
import { insertWork, setWork } from './store-work.ts'
import { EVENT_RULES, recordRule, type Work } from './work.ts'

type RecordWork = Extract<Work, { kind: 'record' }>

/** What one transaction does to a record is told at once. */
const noted = new WeakMap<Tx, Map<string, { seq: number; work: RecordWork }>>()

function wake(tx: Tx): void {
  tx.enqueue(spreadNotifications, null, { key: 'all' })
}

function noteRecord(tx: Tx, event: EventRow, repo_id: string, number: number): void {
  const rule = recordRule(event)
  if (!rule) return
  // Reviewers of a pull request that is just being made are asked after its event; they are looked
  // for when it is told.
  const asked = rule.asks && event.type !== 'pull.opened' ? newlyAsked(tx, repo_id, number) : []
  const known = noted.get(tx) ?? new Map<string, { seq: number; work: RecordWork }>()
  noted.set(tx, known)
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
  wake(tx)
}

/** What an agent does is its person's to read in a digest. */
function noteAgent(tx: Tx, event: EventRow): void {
  if (event.actor_id === null || !event.actor_id.startsWith('agt_')) return
  const owner = actorOf(tx.hearth, event.actor_id).on_behalf_of
  if (owner && settingsOf(tx.db, owner.id).digest !== 'off') noteActivity(tx, owner.id, event.id)
}

const followEvents = reactionToAll('notifications note what happened', (tx, event) => {
  noteAgent(tx, event)
  if (event.repo_id === null) return
  const { number } = event.data
  if (typeof number === 'number') noteRecord(tx, event, event.repo_id, number)
  if (Object.hasOwn(EVENT_RULES, event.type)) {
    insertWork(tx, { kind: 'event', event_id: event.id })
    wake(tx)
  }
})

const followEdits = follower(
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
    wake(tx)
  },
)

const followInvitations = follower(
  'notifications tell of invitations',
  invitationChanged,
  (tx, { id, state }) => tellOfInvitation(tx, id, state),
)

const followQuestions = follower(
  'notifications tell who is waited for',
  sessionAsked,
  (tx, asked) => {
    if (asked.kind === 'question') tellOfQuestion(tx, asked)
    else settleQuestion(tx, asked)
  },
)

export const reactions: readonly Reaction[] = [followEvents]
export const followers: readonly Follower[] = [
  followEdits,
  followInvitations,
  followQuestions,
] as Follower[]
