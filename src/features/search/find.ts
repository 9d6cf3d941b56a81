/**
 * Runs one search on a reader thread: one page of the requested type, and counts of the other
 * types, within one time budget.
 */
import type { DatabaseHandle } from '#core/db.ts'
import { qualifiersApply } from './qualifiers-apply.ts'
import { ChunkTexts } from './chunk-texts.ts'
import { codeHit } from './code-lines.ts'
import { deadlineIn, type Deadline } from './deadline.ts'
import { findCode, type CodeFile } from './find-code.ts'
import { findWiki } from './find-wiki.ts'
import { findPeople, findRepos } from './find-names.ts'
import { findRecords } from './find-records.ts'
import { SEARCH_TYPES, type SearchType } from './query.ts'
import type { FindRequest, FindResult, Hits, RecordHit } from './find-request.ts'
import { findVisibleRepo, repoConditions, databaseVersions } from './store-queries.ts'

type HitListOf<T extends SearchType, H> = T extends SearchType
  ? { readonly type: T; readonly hits: readonly H[]; readonly incomplete: boolean }
  : never
type HitList =
  | HitListOf<'repositories' | 'people', string>
  | HitListOf<'issues' | 'pulls', RecordHit>
  | HitListOf<'code' | 'wiki', CodeFile>

function findByType(
  db: DatabaseHandle,
  texts: ChunkTexts,
  type: SearchType,
  request: FindRequest,
  deadline: Deadline,
): HitList {
  const fits = qualifiersApply(request.filters, type)
  if (type === 'code' || type === 'wiki') {
    const find = type === 'code' ? findCode : findWiki
    const { files, incomplete } = fits
      ? find(db, texts, request, deadline)
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

function pageOfHits(
  db: DatabaseHandle,
  texts: ChunkTexts,
  list: HitList,
  request: FindRequest,
): Hits {
  const { offset, limit } = request
  if (list.type === 'code' || list.type === 'wiki') {
    const repos = repoConditions(list.type, request.scope, request.filters)
    const files = list.hits.slice(offset, offset + limit).flatMap((file) => {
      const facts = findVisibleRepo(db, file.tree.repo_id, repos)
      return facts ? [codeHit(db, texts, file, request, facts.default_branch)] : []
    })
    return { type: list.type, files }
  }
  if (list.type === 'issues' || list.type === 'pulls')
    return { type: list.type, records: list.hits.slice(offset, offset + limit) }
  return { type: list.type, ids: list.hits.slice(offset, offset + limit) }
}

const MAX_CACHED_LISTS = 24

/** Runs the searches of one reader thread. */
export class Searcher {
  readonly #texts: ChunkTexts
  /**
   * Result lists of the latest queries, because the next page and the next tab repeat the query.
   * Valid until either database changes.
   */
  readonly #lists = new Map<string, HitList>()
  #versions = ''

  constructor(private readonly db: DatabaseHandle) {
    this.#texts = new ChunkTexts(db)
  }

  find(request: FindRequest): FindResult {
    const versions = databaseVersions(this.db)
    if (versions !== this.#versions) {
      this.#lists.clear()
      this.#versions = versions
    }
    const deadline = deadlineIn(request.budgetMs)
    const query = JSON.stringify([request.terms, request.filters, request.scope])
    const main = this.#list(request.type, request, query, deadline)
    const hits = pageOfHits(this.db, this.#texts, main, request)
    const counts = Object.fromEntries(SEARCH_TYPES.map((type) => [type, 0])) as Record<
      SearchType,
      number
    >
    counts[request.type] = main.hits.length
    let incomplete = main.incomplete
    const best: Hits[] = []
    for (const type of request.counted) {
      if (type === request.type) continue
      const list = this.#list(type, request, query, deadline)
      counts[type] = list.hits.length
      incomplete ||= list.incomplete
      if (request.best !== undefined && list.hits.length > 0)
        best.push(
          pageOfHits(this.db, this.#texts, list, { ...request, offset: 0, limit: request.best }),
        )
    }
    return { counts, hits, best, incomplete }
  }

  #list(type: SearchType, request: FindRequest, query: string, deadline: Deadline): HitList {
    // Other types are only counted, so their order does not matter.
    const sort = type === request.type ? request.sort : 'best'
    const key = `${type} ${sort} ${query}`
    const cached = this.#lists.get(key)
    if (cached) return cached
    const list = findByType(this.db, this.#texts, type, { ...request, sort }, deadline)
    if (list.incomplete) return list
    this.#lists.set(key, list)
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= MAX_CACHED_LISTS) break
      this.#lists.delete(oldest)
    }
    return list
  }
}
