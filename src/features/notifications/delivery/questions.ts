/**
 * A question of an agent in its session notifies a person: the one it names, else the person of the
 * agent.
 */
import type { Tx } from '#core/write.ts'
import type { Static } from '#core/schema.ts'
import { actorOf, findUser } from '#features/accounts/index.ts'
import { findPull, type sessionAsked } from '#features/pulls/index.ts'
import { canRead } from './visibility.ts'
import { settleSubject, type SubjectOf } from '../store.ts'
import { notifyPerson } from './notify-person.ts'

type AskedQuestion = Static<(typeof sessionAsked)['data']>

const MAX_TITLE_LENGTH = 120
const subjectOf = (repo_id: string, number: number, seq: number): string =>
  `question ${repo_id} ${number} ${seq}`

/** The person that an agent asks in its own session. */
function addressee(tx: Tx, repo_id: string, data: AskedQuestion['data'], owner_id: string): string {
  const named = typeof data.to === 'string' ? findUser(tx.db, data.to.replace(/^@/, '')) : null
  return named && canRead(tx.hearth, repo_id, named.id) ? named.id : owner_id
}

/**
 * The person who is asked in the session of another pull request: its author, or the person of an
 * agent that is the author.
 */
function workerOf(tx: Tx, repo_id: string, number: number): string | null {
  const pull = findPull(tx.db, repo_id, number)
  const author = pull && pull.agent === null ? actorOf(tx.hearth, pull.author_id) : null
  return author?.kind === 'user' ? author.id : null
}

export function notifyQuestion(
  tx: Tx,
  { repo_id, number, seq, author_id, text, data }: AskedQuestion,
): void {
  const agent = actorOf(tx.hearth, author_id)
  if (agent?.kind !== 'agent' || !agent.on_behalf_of) return
  const to =
    typeof data.question === 'string'
      ? workerOf(tx, repo_id, number)
      : addressee(tx, repo_id, data, agent.on_behalf_of.id)
  if (to === null || !canRead(tx.hearth, repo_id, to)) return
  const line = text.replace(/\s+/g, ' ').trim()
  const title = `${agent.username} asks: ${line.length > MAX_TITLE_LENGTH ? `${line.slice(0, MAX_TITLE_LENGTH).toWellFormed()}…` : line}`
  const about: SubjectOf = {
    repo_id,
    subject: subjectOf(repo_id, number, seq),
    kind: 'question',
    number,
    subject_id: String(seq),
    title,
    url: null,
  }
  notifyPerson(tx, to, 'agent_waiting', {
    about,
    events: [],
    text_id: null,
    at: tx.now,
    words: `${agent.username} asks and waits for an answer:\n\n${text}`,
  })
}

export function settleQuestion(tx: Tx, { repo_id, number, data }: AskedQuestion): void {
  if (typeof data.of === 'number') settleSubject(tx, subjectOf(repo_id, number, data.of))
}
