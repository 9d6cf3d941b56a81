/**
 * Builds the records of a result page. Texts are read as they are now, and the caller's access to
 * each repository is checked again.
 */
import { encodePath } from '#lib/percent-encoding.ts'
import type { RepoFacts } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import { actorsOf, avatarUrl, loadActors } from '#features/accounts/index.ts'
import {
  issuesByNumber,
  labelsOfAll,
  listCommentStarts,
  recordsByRepo,
  type CommentStart,
} from '#features/issues/index.ts'
import { pullsByNumber } from '#features/pulls/index.ts'
import {
  factsOf,
  preloadFacts,
  preloadRepos,
  filterVisibleRepos,
  repoById,
  repoRecords,
  visibleReposOf,
  viewerRole,
  wikiPages,
} from '#features/repos/index.ts'
import { lineAddress } from '#lib/line-address.ts'
import {
  highlightExcerpt,
  highlightParts,
  findPieceSpans,
  parseWords,
  findWordSpans,
  type Span,
} from './highlight.ts'
import type { Term } from './query.ts'
import type { CodeHit, Hits, RecordHit } from './find-request.ts'
import type {
  CodeFound,
  Highlight,
  IssueFound,
  PersonFound,
  PullFound,
  RepoFound,
  SearchResult,
  WikiFound,
} from './schema.ts'

const MAX_EXCERPT_LENGTH = 240
/** Characters of texts that are searched for the excerpts of one page of results. */
const MAX_SCANNED_LENGTH = 64 * 1024
/** Longer phrases are found and not marked. */
const MAX_MARKED_WORDS = 32
const MAX_COMMENTS = 3
/** Comments of one record that are searched, read in groups until the excerpts are found. */
const MAX_SCANNED_COMMENTS = 48
const COMMENTS_PER_READ = 8

type SpanFinder = (text: string) => Span[]

const wanted = (terms: readonly Term[]): readonly Term[] => terms.filter(({ not }) => !not)

/** Finds substrings, for names. */
const pieceSpanFinder = (terms: readonly Term[]): SpanFinder => {
  const pieces = wanted(terms)
    .map(({ text }) => text.trim().replace(/^@/, ''))
    .filter((text) => text !== '')
  return (text) => findPieceSpans(text, pieces)
}

/** Finds words, for texts. */
const wordSpanFinder = (terms: readonly Term[]): SpanFinder => {
  const words = wanted(terms)
    .flatMap(({ text, phrase }) => parseWords(text, phrase) ?? [])
    .filter((sequence) => sequence.words.length <= MAX_MARKED_WORDS)
  return (text) => findWordSpans(text, words)
}

const excerpt = (text: string, spans: SpanFinder): Highlight =>
  highlightExcerpt(text, spans(text), MAX_EXCERPT_LENGTH)

/**
 * Searches texts up to a total length, because a page of records with long texts would keep the
 * main thread busy for a second. What is left of a text is not searched.
 */
class BoundedFinder {
  constructor(
    private readonly find: SpanFinder,
    private leftLength: number,
  ) {}

  get isSpent(): boolean {
    return this.leftLength <= 0
  }

  spans(text: string): Span[] {
    if (this.isSpent) return []
    const part = text.slice(0, this.leftLength)
    this.leftLength -= part.length
    return this.find(part)
  }

  excerpt(text: string): Highlight {
    return highlightExcerpt(text, this.spans(text), MAX_EXCERPT_LENGTH)
  }
}

/** The full names of the repositories that the caller can see now, by id. */
function visibleNames(
  hearth: Hearth,
  caller: Caller,
  repo_ids: readonly string[],
): ReadonlyMap<string, string> {
  const { db } = hearth
  const ids = [...new Set(repo_ids)]
  return readScope(db, () => {
    preloadRepos(db, ids)
    const rows = ids.flatMap((id) => repoById(db, id) ?? [])
    preloadFacts(db, rows, caller)
    return new Map(
      rows.flatMap((row) => {
        const facts = factsOf(db, row, caller)
        return facts && isVisible(facts, caller) ? [[row.id, facts.full_name] as const] : []
      }),
    )
  })
}

const isVisible = (facts: RepoFacts, caller: Caller): boolean =>
  !facts.deleted &&
  (!facts.private || (viewerRole(facts, caller) !== null && !facts.two_factor_missing))

function repoItems(
  hearth: Hearth,
  caller: Caller,
  ids: readonly string[],
  terms: readonly Term[],
): RepoFound[] {
  const pieces = wanted(terms).flatMap(({ text, phrase }) => [
    { text, phrase, not: false },
    ...(text.includes('/')
      ? [{ text: text.slice(text.lastIndexOf('/') + 1), phrase, not: false }]
      : []),
  ])
  const spans = pieceSpanFinder(pieces)
  const seen = new Set(filterVisibleRepos(hearth.db, visibleReposOf(hearth.db, caller), ids))
  return readScope(hearth.db, () => {
    preloadRepos(hearth.db, ids)
    const rows = ids.flatMap((id) => (seen.has(id) ? (repoById(hearth.db, id) ?? []) : []))
    return repoRecords(hearth, rows, caller).map((repo) => ({
      ...repo,
      highlights: {
        name: highlightParts(repo.name, spans(repo.name)),
        description: excerpt(repo.description ?? '', spans),
      },
    }))
  })
}

function peopleItems(
  hearth: Hearth,
  ids: readonly string[],
  terms: readonly Term[],
): PersonFound[] {
  const spans = pieceSpanFinder(terms)
  const known = new Map(actorsOf(hearth, [...ids]).map((actor) => [actor.id, actor]))
  return ids.flatMap((id) => {
    const actor = known.get(id)
    if (!actor) return []
    const { username, name } = actor
    return [
      {
        id,
        username,
        name,
        avatar_url: avatarUrl(hearth, id),
        highlights: {
          username: highlightParts(username, spans(username)),
          name: name === null ? [] : highlightParts(name, spans(name)),
        },
      },
    ]
  })
}

function codeItems(hearth: Hearth, caller: Caller, files: readonly CodeHit[]): CodeFound[] {
  const names = visibleNames(
    hearth,
    caller,
    files.map(({ repo_id }) => repo_id),
  )
  return files.flatMap(({ repo_id, path, commit, ref, language, matches, symbols }) => {
    const repo = names.get(repo_id)
    if (repo === undefined) return []
    const [first] = matches
    const address = [repo, 'blob', commit, path].map(encodePath).join('/')
    return [
      {
        repo,
        path,
        ref,
        sha: commit,
        language,
        html_url: `${hearth.settings.site_url}/${address}${first ? lineAddress(first.number) : ''}`,
        matches: matches.map((line) => ({ number: line.number, parts: [...line.parts] })),
        symbols: [...symbols],
      },
    ]
  })
}

function wikiItems(
  hearth: Hearth,
  caller: Caller,
  files: readonly CodeHit[],
  terms: readonly Term[],
): WikiFound[] {
  const spans = pieceSpanFinder(terms)
  const [wiki] = wikiPages.all(hearth)
  const names = visibleNames(
    hearth,
    caller,
    files.map(({ repo_id }) => repo_id),
  )
  return files.flatMap(({ repo_id, path, matches }) => {
    const repo = names.get(repo_id)
    const page = wiki?.pageOf(path) ?? null
    if (repo === undefined || page === null || !wiki?.areShown(hearth.db, repo_id)) return []
    const { slug, title } = page
    const address = `${repo}/wiki/${encodePath(slug)}`
    return [
      {
        repo,
        slug,
        title,
        html_url: `${hearth.settings.site_url}/${address}`,
        highlights: {
          title: highlightParts(title, spans(title)),
          lines: matches.map(({ parts }) => [...parts]),
        },
      },
    ]
  })
}

type Texts = {
  readonly id: string
  readonly repo_id: string
  readonly number: number
  readonly title: string
  readonly body: string
  readonly author_id: string
  readonly created_at: string
  readonly updated_at: string
}
/** A record of the page, and what is found in its comments. */
type Candidate<Row extends Texts> = {
  readonly row: Row
  readonly finder: BoundedFinder
  readonly body: Highlight
  readonly comments: { readonly start: CommentStart; readonly parts: Highlight }[]
}

/**
 * Searches the comments of records, those of a repository together, in groups until each has its excerpts. `length` is
 * what is read of a comment.
 */
function findInComments(hearth: Hearth, candidates: readonly Candidate<Texts>[], length: number) {
  for (const [repo_id, ofRepo] of Map.groupBy(candidates, ({ row }) => row.repo_id)) {
    let left = ofRepo
    for (let offset = 0; offset < MAX_SCANNED_COMMENTS; offset += COMMENTS_PER_READ) {
      left = left.filter(
        ({ finder, comments }) => !finder.isSpent && comments.length < MAX_COMMENTS,
      )
      if (left.length === 0) break
      const numbers = left.map(({ row }) => row.number)
      const page = { limit: COMMENTS_PER_READ, offset, length }
      const starts = Map.groupBy(
        listCommentStarts(hearth.db, repo_id, numbers, page),
        ({ number }) => number,
      )
      for (const { row, finder, comments } of left)
        for (const start of starts.get(row.number) ?? []) {
          const places = finder.spans(start.body)
          if (places.length === 0 || comments.length === MAX_COMMENTS) continue
          comments.push({ start, parts: highlightExcerpt(start.body, places, MAX_EXCERPT_LENGTH) })
        }
      left = left.filter(({ row }) => starts.get(row.number)?.length === COMMENTS_PER_READ)
    }
  }
}

/** The labels of records by repository and number. */
const labelsByRepo = (
  db: Db,
  byRepo: readonly (readonly [string, readonly Texts[]])[],
): ReadonlyMap<string, ReadonlyMap<number, string[]>> =>
  new Map(
    byRepo.map(([id, ofRepo]) => [
      id,
      labelsOfAll(
        db,
        id,
        ofRepo.map(({ number }) => number),
      ),
    ]),
  )

/** What issues and pull requests have in common, in the order of the page. Those that are hidden are left out. */
function recordItems<Row extends Texts>(
  hearth: Hearth,
  caller: Caller,
  rows: readonly Row[],
  terms: readonly Term[],
  page: 'issues' | 'pull',
): { row: Row; base: Omit<IssueFound, 'state' | 'reason'> }[] {
  const { db, settings } = hearth
  const spans = wordSpanFinder(terms)
  const shareLength =
    wanted(terms).length > 0 ? Math.floor(MAX_SCANNED_LENGTH / Math.max(1, rows.length)) : 0
  const byRepo = [...Map.groupBy(rows, ({ repo_id }) => repo_id)]
  const names = visibleNames(
    hearth,
    caller,
    byRepo.map(([id]) => id),
  )
  const labels = labelsByRepo(db, byRepo)
  const candidates = rows
    .filter(({ repo_id }) => names.has(repo_id))
    .map((row): Candidate<Row> => {
      const finder = new BoundedFinder(spans, shareLength)
      return { row, finder, body: finder.excerpt(row.body), comments: [] }
    })
  findInComments(hearth, candidates, shareLength + MAX_EXCERPT_LENGTH)
  const actor = loadActors(
    hearth,
    candidates.flatMap(({ row, comments }) => [
      row.author_id,
      ...comments.map(({ start }) => start.author_id),
    ]),
  )
  return candidates.map(({ row, body, comments }) => {
    const repo = names.get(row.repo_id) ?? ''
    return {
      row,
      base: {
        id: row.id,
        number: row.number,
        repo,
        title: row.title,
        author: actor(row.author_id),
        labels: labels.get(row.repo_id)?.get(row.number) ?? [],
        html_url: `${settings.site_url}/${repo}/${page}/${row.number}`,
        created_at: row.created_at,
        updated_at: row.updated_at,
        highlights: {
          title: highlightParts(row.title, spans(row.title)),
          body,
          comments: comments.map(({ start, parts }) => ({
            id: start.id,
            author: actor(start.author_id),
            parts,
          })),
        },
      },
    }
  })
}

function issueItems(
  hearth: Hearth,
  caller: Caller,
  records: readonly RecordHit[],
  terms: readonly Term[],
): IssueFound[] {
  const find = recordsByRepo(records, (id, numbers) => issuesByNumber(hearth.db, id, numbers))
  const rows = records.flatMap((record) => find(record) ?? [])
  return recordItems(hearth, caller, rows, terms, 'issues').map(({ row, base }) => ({
    ...base,
    state: row.reason === null ? 'open' : 'closed',
    reason: row.reason,
  }))
}

function pullItems(
  hearth: Hearth,
  caller: Caller,
  records: readonly RecordHit[],
  terms: readonly Term[],
): PullFound[] {
  const find = recordsByRepo(records, (id, numbers) => pullsByNumber(hearth.db, id, numbers))
  const rows = records.flatMap((record) => find(record) ?? [])
  return recordItems(hearth, caller, rows, terms, 'pull').map(({ row, base }) => ({
    ...base,
    status: row.status,
  }))
}

export function resultItems(
  hearth: Hearth,
  caller: Caller,
  hits: Hits,
  terms: readonly Term[],
): SearchResult['items'] {
  switch (hits.type) {
    case 'code':
      return codeItems(hearth, caller, hits.files)
    case 'wiki':
      return wikiItems(hearth, caller, hits.files, terms)
    case 'issues':
      return issueItems(hearth, caller, hits.records, terms)
    case 'pulls':
      return pullItems(hearth, caller, hits.records, terms)
    case 'people':
      return peopleItems(hearth, hits.ids, terms)
    case 'repositories':
      return repoItems(hearth, caller, hits.ids, terms)
  }
}
