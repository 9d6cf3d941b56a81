import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { actorOf } from '#features/accounts/index.ts'
import {
  appendEntries,
  contextOf,
  findPull,
  isActive,
  requireAuthorOr,
  requirePull,
  subjectOf,
} from '#features/pulls/index.ts'
import { conflict, forbidden, invalid } from '#lib/errors.ts'
import { redactText } from '#lib/redact.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { typeId } from '#lib/typeid.ts'
import { agentAsked } from './events.ts'
import { requireOwnRepository } from './find.ts'
import { questionRecord } from './questions.ts'
import { Question } from './schema.ts'
import { countWaiting, findQuestion, insertQuestion } from './store-questions.ts'

const LIFE = 7 * DAY
/** Two agents that ask each other without end stop here. */
const MOST_WAITING = 20

/**
 * The question stands in the session of the pull request that is asked: that is where its agent
 * reads, and waits. The text is marked there as somebody else's words, whoever asks, so that it is
 * taken for a question and not for an order.
 */
export const askAgent = operation({
  name: 'ask_agent',
  summary:
    'Ask whoever works on a pull request. The question appears in its session and waits there for 7 days; wait for the answer with get_session after seq, kind answer. Needs Write, or is for agents of the same repository.',
  route: 'POST /repos/{owner}/{name}/pulls/{number}/questions',
  toolset: 'pulls',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object({
    repo: RepoPath,
    number: RecordNumber,
    text: Type.String({ minLength: 1, maxLength: 8_000, description: 'The question, Markdown.' }),
    from_pull: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The pull request on whose account you ask.' }),
    ),
  }),
  output: Question,
  status: 202,

  handler: ({ hearth, repo, caller, write }, { number, from_pull = null, ...given }) => {
    requireOwnRepository(repo)
    if (caller.kind !== 'agent' && !repo.can('write'))
      throw forbidden(
        'role',
        `only an agent of ${repo.full_name}, or someone with the role write on it, may ask; yours is ${repo.role}`,
      )
    const { text, redacted } = redactText(
      given.text.toWellFormed().replaceAll('\0', '\uFFFD').trim(),
    )
    if (text === '') throw invalid('text', 'text must not be blank')
    return write((tx) => {
      const pull = requirePull(tx.db, repo.id, number)
      if (!isActive(pull))
        throw conflict('not_open', `#${number} is ${pull.status}; nobody works on it any more`, {
          status: pull.status,
        })
      if (from_pull !== null) {
        const from = findPull(tx.db, repo.id, from_pull)
        if (!from || from_pull === number)
          throw invalid(
            'from_pull',
            from
              ? 'from_pull must be another pull request than the one that is asked'
              : `there is no pull request #${from_pull}`,
          )
        requireAuthorOr(hearth, repo, from, caller, 'write')
      }
      if (countWaiting(tx.db, pull.id) >= MOST_WAITING)
        throw conflict(
          'limit_reached',
          `${MOST_WAITING} questions wait in the session of #${number} already`,
        )
      const id = typeId('qst', tx.now_ms)
      const seq = appendEntries(tx, pull, [
        {
          kind: 'question',
          text,
          tool: null,
          at: tx.now,
          author_id: caller.id,
          sha: pull.head_sha,
          truncated: 0,
          redacted: redacted ? 1 : 0,
          data: JSON.stringify({
            question: id,
            from_pull,
            to: pull.agent ?? actorOf(hearth, pull.author_id).username,
          }),
        },
      ])
      insertQuestion(tx, {
        id,
        repo_id: repo.id,
        pull_id: pull.id,
        number,
        seq,
        from_id: caller.id,
        from_pull,
        text,
        expires_at: timestamp(tx.now_ms + LIFE),
      })
      tx.append(agentAsked, subjectOf(contextOf(tx.db, repo.id)), {
        number,
        question: id,
        from_pull,
      })
      const made = findQuestion(tx.db, id)
      if (!made) throw new Error(`${id} is gone right after it was made`)
      return questionRecord(hearth, made)
    })
  },
})
