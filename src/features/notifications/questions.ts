/**
 * An agent that asks in its session waits for a person: for the one it names, or else for whoever
 * it acts for.
 */
import type { Tx } from '#core/write.ts'
import type { Static } from '#core/schema.ts'
import { actorOf, findUser } from '#features/accounts/index.ts'
import { findPull, type sessionAsked } from '#features/pulls/index.ts'
import { canRead } from './sight.ts'
import { settleSubject, type SubjectOf } from './store.ts'
import { tell } from './tell.ts'

type Asked = Static<(typeof sessionAsked)['data']>

const MOST_TITLE = 120
const subjectOf = (repo_id: string, number: number, seq: number): string =>
  `question ${repo_id} ${number} ${seq}`

/** Whom an agent asks in its own session. */
function addressee(tx: Tx, repo_id: string, data: Asked['data'], owner_id: string): string {
  const named =
    typeof data['to'] === 'string' ? findUser(tx.db, data['to'].replace(/^@/, '')) : null
  return named && canRead(tx.hearth, repo_id, named.id) ? named.id : owner_id
}

/**
 * Whom an agent asks that asks another pull request: the person who works on it. What is asked of
 * another agent is theirs.
 */
function workerOf(tx: Tx, repo_id: string, number: number): string | null {
  const pull = findPull(tx.db, repo_id, number)
  const author = pull && pull.agent === null ? actorOf(tx.hearth, pull.author_id) : null
  return author?.kind === 'user' ? author.id : null
}

export function tellOfQuestion(
  tx: Tx,
  { repo_id, number, seq, author_id, text, data }: Asked,
): void {
  const agent = actorOf(tx.hearth, author_id)
  if (!agent || agent.kind !== 'agent' || !agent.on_behalf_of) return
  const to =
    typeof data['question'] === 'string'
      ? workerOf(tx, repo_id, number)
      : addressee(tx, repo_id, data, agent.on_behalf_of.id)
  if (to === null || !canRead(tx.hearth, repo_id, to)) return
  const line = text.replace(/\s+/g, ' ').trim()
  const title = `${agent.username} asks: ${line.length > MOST_TITLE ? `${line.slice(0, MOST_TITLE).toWellFormed()}…` : line}`
  const about: SubjectOf = {
    repo_id,
    subject: subjectOf(repo_id, number, seq),
    kind: 'question',
    number,
    subject_id: String(seq),
    title,
    url: null,
  }
  tell(tx, to, 'agent_waiting', {
    about,
    events: [],
    text_id: null,
    at: tx.now,
    words: `${agent.username} asks and waits for an answer:\n\n${text}`,
  })
}

export function settleQuestion(tx: Tx, { repo_id, number, data }: Asked): void {
  if (typeof data['of'] === 'number') settleSubject(tx, subjectOf(repo_id, number, data['of']))
}
