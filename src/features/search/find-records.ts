/**
 * Issues and pull requests that fit: from the words where there are some, else from the newest
 * records back.
 */
import type { DatabaseHandle } from '#core/db.ts'
import { wordsFor, type Words } from './parts.ts'
import type { Term } from './query.ts'
import { MOST_COUNTED, type FindRequest, type RecordHit } from './request.ts'
import {
  fitting,
  listRecordRows,
  listRecordRowsOf,
  listRepoIds,
  listScoredRows,
  listTextRows,
  recordConditions,
  repoConditions,
  textMatch,
  type RecordRow,
} from './store-find.ts'
import type { Deadline } from './deadline.ts'

/** So many rows are looked at before the time is. */
const FIRST_STEP = 500
const STEP = 4_000
/** How well they fit is only computed for so many. */
const MOST_SCORED = 5_000
const MOST_REPOS = 50

const phraseOf = ({ words, open }: Words): string => `"${words.join(' ')}"${open ? ' *' : ''}`

/** The words of some terms in the language of the index; null when there are none. */
function matchOf(terms: readonly Term[], join: 'AND' | 'OR'): string | null {
  const phrases = terms.flatMap(({ text, phrase }) => wordsFor(text, phrase) ?? []).map(phraseOf)
  return phrases.length === 0 ? null : `(${phrases.join(` ${join} `)})`
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
  const wanted = matchOf(asked, 'AND')
  // Signs alone are no words, and no question here.
  if (wanted === null && asked.length > 0) return { hits: [], incomplete: false }
  const unwanted = matchOf(
    terms.filter(({ not }) => not),
    'OR',
  )
  const repos = repoConditions(type, scope, filters)
  const records = recordConditions(kind, filters)
  const named =
    filters.repos === null && filters.workspaces === null && scope.bound === null
      ? null
      : listRepoIds(db, repos, MOST_REPOS + 1)
  if (named?.length === 0) return { hits: [], incomplete: false }
  const within = named !== null && named.length <= MOST_REPOS ? named : null
  const match = textMatch(
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
  for (let step = FIRST_STEP; ; step = STEP) {
    const ids =
      match !== null
        ? listTextRows(db, match, before, step)
        : within
          ? listRecordRowsOf(db, within, before, step)
          : listRecordRows(db, before, step)
    rows.push(...fitting(db, ids, repos, records, without))
    looked += ids.length
    before = ids.at(-1) ?? 0
    if (ids.length < step || (rows.length > MOST_COUNTED && sort !== 'updated')) break
    if (deadline.passed()) {
      incomplete = true
      break
    }
  }
  if (sort === 'updated')
    rows.sort((a, b) =>
      a.updated_at < b.updated_at ? 1 : a.updated_at > b.updated_at ? -1 : b.seq - a.seq,
    )
  else if (sort === 'best' && match !== null && looked <= MOST_SCORED && rows.length > 1) {
    const scores = new Map(
      listScoredRows(db, match, MOST_SCORED).map(({ id, score }) => [id, score]),
    )
    rows.sort((a, b) => (scores.get(a.seq) ?? 0) - (scores.get(b.seq) ?? 0) || b.seq - a.seq)
  }
  return {
    hits: rows.slice(0, MOST_COUNTED).map(({ repo_id, number }) => ({ repo_id, number })),
    incomplete,
  }
}
