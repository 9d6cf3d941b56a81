/** The beginnings of the texts that events tell of, with one query for each kind of text. */
import type { Db } from '#core/db.ts'
import type { EventRow } from '#core/events.ts'
import { listCommentBodies, listIssueBodies } from '#features/issues/index.ts'
import { listPullBodies, listReviewBodies } from '#features/pulls/index.ts'
import { DESCRIPTION, textIdOf } from './references/read-texts.ts'

const MAX_READ = 1_000
const MAX_EXCERPT_LENGTH = 200

/** Quotes, code fences and signs of Markdown are left out; one line is left. */
export function excerptOf(text: string): string {
  const line = text
    .split('\n')
    .filter((one) => !/^\s*(?:>|```|~~~)/.test(one))
    .join(' ')
    .replace(/!?\[([^\]\n]{0,200})\]\([^)\s]{0,500}\)/g, '$1')
    .replace(/[*_`#|]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  const points = [...line]
  return points.length <= MAX_EXCERPT_LENGTH
    ? line
    : `${points
        .slice(0, MAX_EXCERPT_LENGTH - 1)
        .join('')
        .trimEnd()}…`
}

type Place = { readonly repo_id: string; readonly number: number }

/** Excerpts by the id of the event. Events without a text have none. */
export function excerptsOf(db: Db, events: readonly EventRow[]): Map<string, string> {
  const texts = events.flatMap((event) => {
    const text_id = textIdOf(event)
    const { repo_id } = event
    const { number } = event.data
    return text_id === null || repo_id === null || typeof number !== 'number'
      ? []
      : [{ event: event.id, text_id, repo_id, number }]
  })
  const ids = texts.map(({ text_id }) => text_id).filter((id) => id !== DESCRIPTION)
  const places: Place[] = texts.filter(({ text_id }) => text_id === DESCRIPTION)
  const bodies = new Map<string, string>()
  const reviews = ids.filter((id) => id.startsWith('rvw_'))
  const comments = ids.filter((id) => !id.startsWith('rvw_'))
  for (const { id, body } of [
    ...(comments.length > 0 ? listCommentBodies(db, comments, MAX_READ) : []),
    ...(reviews.length > 0 ? listReviewBodies(db, reviews, MAX_READ) : []),
  ])
    bodies.set(id, body)
  for (const { repo_id, number, body } of places.length === 0
    ? []
    : [...listIssueBodies(db, places, MAX_READ), ...listPullBodies(db, places, MAX_READ)])
    bodies.set(`${repo_id} ${number}`, body)
  return new Map(
    texts.flatMap(({ event, text_id, repo_id, number }) => {
      const body = bodies.get(text_id === DESCRIPTION ? `${repo_id} ${number}` : text_id)
      const excerpt = body === undefined ? '' : excerptOf(body)
      return excerpt === '' ? [] : [[event, excerpt] as const]
    }),
  )
}
