/** Issues that share words with a new one: what may be a duplicate. */
import type { Db } from '#core/db.ts'
import { issuesByNumber, listRecordNumbers } from '#features/issues/index.ts'

const MAX_WORDS = 8
const MIN_LETTERS = 3
/** The newest matches of one word that are read. */
const MAX_MATCHES = 40
const MAX_NEAREST = 10
/** The part of the body whose words count. */
const MAX_BODY_CHARS = 1_000

export type NearIssue = { readonly number: number; readonly title: string; readonly open: boolean }

const lettersOf = (text: string): string[] =>
  text
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

/** The words of the title, then the longest of the body. */
function wordsOf({ title, body }: { readonly title: string; readonly body: string }): string[] {
  const long = (words: string[]): string[] =>
    words.filter((word) => word.length >= MIN_LETTERS).sort((a, b) => b.length - a.length)
  const words = [...long(lettersOf(title)), ...long(lettersOf(body.slice(0, MAX_BODY_CHARS)))]
  return [...new Set(words)].slice(0, MAX_WORDS)
}

/** A word that few issues have counts more. */
export function nearestIssues(
  db: Db,
  repo_id: string,
  issue: { readonly number: number; readonly title: string; readonly body: string },
): NearIssue[] {
  const scores = new Map<number, number>()
  for (const word of wordsOf(issue)) {
    const numbers = listRecordNumbers(
      db,
      {
        kind: 'issue',
        repo_id,
        state: 'all',
        label_ids: [],
        assignee_ids: null,
        author_ids: null,
        milestone_id: null,
        without: [],
        words: [word],
        sort: 'created',
        direction: 'desc',
        joined: null,
      },
      MAX_MATCHES,
      0,
    )
    for (const number of numbers)
      scores.set(number, (scores.get(number) ?? 0) + 1 / Math.sqrt(numbers.length))
  }
  scores.delete(issue.number)
  const nearest = [...scores].sort(([a, x], [b, y]) => y - x || b - a).slice(0, MAX_NEAREST)
  const found = new Map(
    issuesByNumber(
      db,
      repo_id,
      nearest.map(([number]) => number),
    ).map((row) => [row.number, row]),
  )
  return nearest.flatMap(([number]) => {
    const row = found.get(number)
    return row ? [{ number, title: row.title, open: row.open === 1 }] : []
  })
}
