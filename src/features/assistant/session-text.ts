/** The session and conversation of a pull request as text for a model, read as a person. */
import { call } from '#core/operation.ts'
import { cutEnd, cutMiddle, cutStart } from '#features/models/index.ts'
import { getPull, getSession, type PullDetail, type SessionEntry } from '#features/pulls/index.ts'
import { sha256 } from '#lib/hash.ts'
import type { Asking } from './tools.ts'

/** The begin and the end of a long session say what was wanted and what came of it. */
const MAX_HALF_CHARS = 30_000
const MAX_HALF_ENTRIES = 400
const MAX_CONVERSATION_CHARS = 20_000
const MAX_BODY_CHARS = 2_000
/** What tools put out is long and says less than what was meant. */
const MAX_SPOKEN_CHARS = 1_000
const MAX_OTHER_CHARS = 300
const SPOKEN: readonly string[] = ['message', 'plan', 'question', 'answer', 'error', 'summary']
const PAGE = 100

export type Reading = Pick<Asking, 'hearth' | 'caller' | 'repo'> & { readonly number: number }
export type AskingOnPull = Asking & Reading

/** A hash of what people and agents said on the pull request. */
export const conversationHash = ({ title, body, comments, reviews }: PullDetail): string =>
  sha256(
    JSON.stringify([
      title,
      body,
      comments.map((comment) => [comment.id, comment.body]),
      reviews.map((review) => [review.id, review.body, review.verdict, review.dismissed]),
    ]),
  )

/** Whether the session got entries after a number that are not bills. */
export async function hasGrown(
  { hearth, caller, repo, number }: Reading,
  after: number,
): Promise<boolean> {
  const { items } = await call(hearth, getSession, caller, { repo, number, after, per_page: PAGE })
  return items.length === PAGE || items.some(({ kind }) => kind !== 'usage')
}

function lineOf({ seq, kind, tool, author, text }: SessionEntry): string {
  const cut = SPOKEN.includes(kind) ? MAX_SPOKEN_CHARS : MAX_OTHER_CHARS
  const by = author === null ? '' : ` by ${author.username}`
  return `entry:${seq} ${kind}${tool === null ? '' : ` ${tool}`}${by}: ${cutEnd(text, cut)}`
}

type Part = { readonly lines: readonly string[]; readonly last_seq: number }

/** At most `MAX_HALF_ENTRIES` entries after a number; with `max_chars`, until they are reached. */
async function readEntries(
  { hearth, caller, repo, number }: Reading,
  from: number,
  max_chars: number,
): Promise<Part> {
  const lines: string[] = []
  let [after, chars] = [from, 0]
  for (let read = 0; read < MAX_HALF_ENTRIES && chars < max_chars; read += PAGE) {
    const { items } = await call(hearth, getSession, caller, {
      repo,
      number,
      after,
      per_page: PAGE,
    })
    for (const entry of items) {
      after = entry.seq
      if (entry.kind === 'usage') continue
      const line = lineOf(entry)
      chars += line.length
      lines.push(line)
    }
    if (items.length < PAGE) break
  }
  return { lines, last_seq: after }
}

async function sessionText(asking: Reading, end: number): Promise<[string, number]> {
  const head = await readEntries(asking, 0, MAX_HALF_CHARS)
  const from = Math.max(head.last_seq, end - MAX_HALF_ENTRIES)
  const tail = await readEntries(asking, from, Number.POSITIVE_INFINITY)
  const left_out = from > head.last_seq ? '\n(entries are left out)\n' : '\n'
  const ending = tail.lines.join('\n')
  return [
    cutEnd(head.lines.join('\n'), 2 * MAX_HALF_CHARS) + left_out + cutStart(ending, MAX_HALF_CHARS),
    Math.max(head.last_seq, tail.last_seq),
  ]
}

function conversationText({ number, title, status, body, comments, reviews }: PullDetail): string {
  const said = [
    ...comments.map((comment) => ({ ...comment, what: 'comment' })),
    ...reviews.map((review) => ({ ...review, what: review.verdict })),
  ].sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
  const text = [
    `#${number} ${title} (${status})`,
    cutEnd(body, MAX_BODY_CHARS),
    ...said.map(
      ({ what, author, body: text }) =>
        `${what} by ${author.username}: ${cutEnd(text, MAX_SPOKEN_CHARS)}`,
    ),
  ].join('\n\n')
  return cutMiddle(text, MAX_CONVERSATION_CHARS)
}

export type PullText = {
  readonly session: string
  readonly conversation: string
  readonly basis: { readonly last_seq: number; readonly conversation: string }
}

/** Throws 404 where the person may not read the session. */
export async function readPullText(asking: Reading): Promise<PullText> {
  const { hearth, caller, repo, number } = asking
  const pull = await call(hearth, getPull, caller, { repo, number })
  const [session, last_seq] = await sessionText(asking, pull.pull.session.last_seq)
  return {
    session,
    conversation: conversationText(pull),
    basis: { last_seq, conversation: conversationHash(pull) },
  }
}
