/**
 * Finds issues and pull requests: by the word index when the query has words, else from the newest
 * record backwards.
 */
import type { DatabaseHandle } from '#core/db.ts'
import { parseWords, type WordSequence } from './highlight.ts'
import type { Term } from './query.ts'
import { MAX_COUNTED, type FindRequest, type RecordHit, type Sort } from './find-request.ts'
import {
  filterRecordRows,
  listRecordRows,
  listRecordRowsOf,
  listRepoIds,
  listScoredRows,
  listTextRows,
  recordConditions,
  repoConditions,
  recordTextQuery,
  type RecordRow,
} from './store-queries.ts'
import type { Deadline } from './deadline.ts'

/** Rows that are read before the deadline is checked for the first time. */
const FIRST_STEP_ROWS = 500
const STEP_ROWS = 4_000
/** Scores are computed only up to this many rows. */
const MAX_SCORED_ROWS = 5_000
const MAX_NAMED_REPOS = 50

const phraseQuery = ({ words, isPrefix: open }: WordSequence): string =>
  `"${words.join(' ')}"${open ? ' *' : ''}`

/** Converts terms to an FTS5 query; null when they contain no words. */
function termsQuery(terms: readonly Term[], join: 'AND' | 'OR'): string | null {
  const phrases = terms
    .flatMap(({ text, phrase }) => parseWords(text, phrase) ?? [])
    .map(phraseQuery)
  return phrases.length === 0 ? null : `(${phrases.join(` ${join} `)})`
}

/** Sorts rows in place. Without a word query, `best` keeps the newest first. */
function sortRows(db: DatabaseHandle, rows: RecordRow[], sort: Sort, match: string | null): void {
  if (sort === 'updated')
    rows.sort((a, b) =>
      a.updated_at < b.updated_at ? 1 : a.updated_at > b.updated_at ? -1 : b.seq - a.seq,
    )
  else if (sort === 'best' && match !== null && rows.length > 1) {
    const scores = new Map(
      listScoredRows(db, match, MAX_SCORED_ROWS).map(({ id, score }) => [id, score]),
    )
    rows.sort((a, b) => (scores.get(a.seq) ?? 0) - (scores.get(b.seq) ?? 0) || b.seq - a.seq)
  }
}

export function findRecords(
  db: DatabaseHandle,
  type: 'issues' | 'pulls',
  request: FindRequest,
  deadline: Deadline,
): { hits: RecordHit[]; incomplete: boolean } {
  const { terms, filters, scope, sort } = request
  const kind = type === 'issues' ? 'issue' : 'pull'
  const asked = terms.filter(({ not }) => !not)
  const wanted = termsQuery(asked, 'AND')
  // A query of punctuation only matches nothing.
  if (wanted === null && asked.length > 0) return { hits: [], incomplete: false }
  const unwanted = termsQuery(
    terms.filter(({ not }) => not),
    'OR',
  )
  const repos = repoConditions(type, scope, filters)
  const records = recordConditions(kind, filters)
  const named =
    filters.repos === null && filters.workspaces === null && scope.onlyRepo === null
      ? null
      : listRepoIds(db, repos, MAX_NAMED_REPOS + 1)
  if (named?.length === 0) return { hits: [], incomplete: false }
  const within = named !== null && named.length <= MAX_NAMED_REPOS ? named : null
  const match = recordTextQuery(
    kind,
    within,
    wanted === null || unwanted === null ? wanted : `(${wanted} NOT ${unwanted})`,
  )
  const without =
    wanted === null && unwanted !== null ? `{title body comments} : ${unwanted}` : null

  const rows: RecordRow[] = []
  let before = Number.MAX_SAFE_INTEGER
  let looked = 0
  let incomplete = false
  for (let step = FIRST_STEP_ROWS; ; step = STEP_ROWS) {
    const ids =
      match !== null
        ? listTextRows(db, match, before, step)
        : within
          ? listRecordRowsOf(db, within, before, step)
          : listRecordRows(db, before, step)
    rows.push(...filterRecordRows(db, ids, repos, records, without))
    looked += ids.length
    before = ids.at(-1) ?? 0
    if (ids.length < step || (rows.length > MAX_COUNTED && sort !== 'updated')) break
    if (deadline.passed()) {
      incomplete = true
      break
    }
  }
  sortRows(db, rows, sort, looked <= MAX_SCORED_ROWS ? match : null)
  return {
    hits: rows.slice(0, MAX_COUNTED).map(({ repo_id, number }) => ({ repo_id, number })),
    incomplete,
  }
}
