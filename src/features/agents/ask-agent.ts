import { writesRepo, type RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
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
import { typeId } from '#core/ids.ts'
import { agentAsked } from './events.ts'
import { requireOwnRepository } from './require-agent.ts'
import { questionRecord } from './questions.ts'
import { Question } from './schema.ts'
import { countWaiting, findQuestion, insertQuestion } from './store-questions.ts'

const QUESTION_LIFETIME_MS = 7 * DAY
/** Stops two agents that ask each other without end. */
const MAX_WAITING_QUESTIONS = 20

/**
 * The question is an entry in the session of the pull request, which its agent reads and waits on.
 * The entry is marked as someone else's text, so that the agent treats it as a question and not as
 * an instruction.
 */
export const askAgent = operation({
  name: 'ask_agent',
  summary:
    'Ask whoever works on a pull request. The question appears in its session and waits there for 7 days; wait for the answer with get_session after seq, kind answer. Needs Write, or is for agents of the same repository.',
  keywords: [
    'ask another agent',
    'question to whoever works on a pull request',
    'coordinate with an agent',
    'message an agent',
  ],
  route: 'POST /repos/{owner}/{name}/pulls/{number}/questions',
  toolset: 'pulls',
  listed: 'default',
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

  handler: ({ hearth, repo, caller, write }, { number, from_pull = null, ...input }) => {
    requireOwnRepository(repo)
    requireMayAsk(repo, caller)
    const { text, redacted, secrets } = redactText(
      input.text.toWellFormed().replaceAll('\0', '\uFFFD').trim(),
    )
    if (text === '') throw invalid('text', 'text must not be blank')
    return write((tx) => {
      const pull = requirePull(tx.db, repo.id, number)
      if (!isActive(pull))
        throw conflict('not_open', `#${number} is ${pull.status}; nobody works on it any more`, {
          status: pull.status,
        })
      if (from_pull !== null) requireSender(tx, repo, caller, { number, from_pull })
      if (countWaiting(tx.db, pull.id) >= MAX_WAITING_QUESTIONS)
        throw conflict(
          'limit_reached',
          `${MAX_WAITING_QUESTIONS} questions wait in the session of #${number} already`,
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
          secrets,
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
        expires_at: timestamp(tx.now_ms + QUESTION_LIFETIME_MS),
      })
      tx.append(agentAsked, subjectOf(contextOf(tx.db, repo.id)), {
        number,
        question: id,
        from_pull,
      })
      const row = findQuestion(tx.db, id)
      if (!row) throw new Error(`the new question ${id} is missing`)
      return questionRecord(hearth, row)
    })
  },
})

/** Throws 422 for an unknown or equal `from_pull`, 403 when the caller may not act for it. */
function requireSender(
  tx: Tx,
  repo: RepoGrant,
  caller: SignedIn,
  { number, from_pull }: { number: number; from_pull: number },
): void {
  const from = findPull(tx.db, repo.id, from_pull)
  if (!from || from_pull === number)
    throw invalid(
      'from_pull',
      from
        ? 'from_pull must be another pull request than the one that is asked'
        : `there is no pull request #${from_pull}`,
    )
  requireAuthorOr(tx.hearth, repo, from, caller, 'write')
}

/** Throws 403 `role` for a caller that is no agent of the repository and lacks Write. */
function requireMayAsk(repo: RepoGrant, caller: SignedIn): void {
  if (caller.kind !== 'agent' && !repo.can('write'))
    throw forbidden(
      'role',
      `only an agent of ${repo.full_name}, or someone with the role write on it, may ask; yours is ${repo.role}`,
    )
}
