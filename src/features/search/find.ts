/**
 * One search, on a thread that only reads: what was asked for in full, the other types counted, all
 * within one budget of time.
 */
import type { DatabaseHandle } from '#core/db.ts'
import { applies } from './applies.ts'
import { showFile } from './code-lines.ts'
import { deadlineIn, type Deadline } from './deadline.ts'
import { findCode, type CodeFile } from './find-code.ts'
import { findPeople, findRepos } from './find-names.ts'
import { findRecords } from './find-records.ts'
import { SEARCH_TYPES, type SearchType } from './query.ts'
import type { FindRequest, Found, Hits, RecordHit } from './request.ts'
import { findVisible, repoConditions, stateOf } from './store-find.ts'

type Listed<T extends SearchType, H> = T extends SearchType
  ? { readonly type: T; readonly hits: readonly H[]; readonly incomplete: boolean }
  : never
type List =
  | Listed<'repositories' | 'people', string>
  | Listed<'issues' | 'pulls', RecordHit>
  | Listed<'code', CodeFile>

function listOf(
  db: DatabaseHandle,
  type: SearchType,
  request: FindRequest,
  deadline: Deadline,
): List {
  const fits = applies(request.filters, type)
  if (type === 'code') {
    const { files, incomplete } = fits
      ? findCode(db, request, deadline)
      : { files: [], incomplete: false }
    return { type, hits: files, incomplete }
  }
  if (type === 'issues' || type === 'pulls')
    return {
      type,
      ...(fits ? findRecords(db, type, request, deadline) : { hits: [], incomplete: false }),
    }
  if (!fits) return { type, hits: [], incomplete: false }
  return {
    type,
    ...(type === 'people' ? findPeople(db, request) : findRepos(db, request, deadline)),
  }
}

function page(db: DatabaseHandle, list: List, request: FindRequest): Hits {
  const { offset, limit } = request
  if (list.type === 'code') {
    const repos = repoConditions('code', request.scope, request.filters)
    const files = list.hits.slice(offset, offset + limit).flatMap((file) => {
      const facts = findVisible(db, file.tree.repo_id, repos)
      return facts ? [showFile(db, file, request, facts.default_branch)] : []
    })
    return { type: 'code', files }
  }
  if (list.type === 'issues' || list.type === 'pulls')
    return { type: list.type, records: list.hits.slice(offset, offset + limit) }
  return { type: list.type, ids: list.hits.slice(offset, offset + limit) }
}

/**
 * The lists of the last questions: the next page and the next tab ask the same again. Good while
 * nothing is written.
 */
const MOST_KEPT = 24
const kept = new Map<string, List>()
let keptState = ''

export function find(db: DatabaseHandle, request: FindRequest): Found {
  const state = stateOf(db)
  if (state !== keptState) {
    kept.clear()
    keptState = state
  }
  const deadline = deadlineIn(request.budget)
  const { terms, filters, scope, sort } = request
  const question = JSON.stringify([terms, filters, scope])
  const ask = (type: SearchType): List => {
    // How the others are ordered is nobody's business: they are counted.
    const key = `${type} ${type === request.type ? sort : 'best'} ${question}`
    const known = kept.get(key)
    if (known) return known
    const list = listOf(
      db,
      type,
      type === request.type ? request : { ...request, sort: 'best' },
      deadline,
    )
    if (list.incomplete) return list
    kept.set(key, list)
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_KEPT) break
      kept.delete(oldest)
    }
    return list
  }
  const main = ask(request.type)
  const hits = page(db, main, request)
  const counts = Object.fromEntries(SEARCH_TYPES.map((type) => [type, 0])) as Record<
    SearchType,
    number
  >
  counts[request.type] = main.hits.length
  let incomplete = main.incomplete
  for (const type of request.counted) {
    if (type === request.type) continue
    const list = ask(type)
    counts[type] = list.hits.length
    incomplete ||= list.incomplete
  }
  return { counts, hits, incomplete }
}
