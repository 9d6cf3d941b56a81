/**
 * What was found as records. Texts are read here, as they are now, and the caller's right to each
 * repository is asked once more.
 */
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { look } from '#core/look.ts'
import { actorsOf, avatarUrl } from '#features/accounts/index.ts'
import { actorLookup, commentsOf, issueRow, labelsOfAll } from '#features/issues/index.ts'
import { findPull } from '#features/pulls/index.ts'
import {
  factsOf,
  keepRepos,
  listSeen,
  repoById,
  repoRecords,
  sightOf,
  viewerRole,
} from '#features/repos/index.ts'
import { excerptOf, partsOf, pieceSpans, wordsFor, wordSpans, type Span } from './parts.ts'
import type { Term } from './query.ts'
import type { CodeHit, Hits, RecordHit } from './request.ts'
import type {
  CodeFound,
  Highlight,
  IssueFound,
  PersonFound,
  PullFound,
  RepoFound,
  SearchResult,
} from './schema.ts'

const LONGEST_EXCERPT = 240
/** Of a long text so much is looked through for a place to show. */
const LOOKED_THROUGH = 100_000
const MOST_COMMENTS = 3
const COMMENTS_LOOKED_AT = 200

type Spans = (text: string) => Span[]

const wanted = (terms: readonly Term[]): readonly Term[] => terms.filter(({ not }) => !not)

/** Places of pieces, for names. */
const byPieces = (terms: readonly Term[]): Spans => {
  const pieces = wanted(terms)
    .map(({ text }) => text.trim().replace(/^@/, ''))
    .filter((text) => text !== '')
  return (text) => pieceSpans(text, pieces)
}

/** Places of words, for texts. */
const byWords = (terms: readonly Term[]): Spans => {
  const words = wanted(terms).flatMap(({ text, phrase }) => wordsFor(text, phrase) ?? [])
  return (text) => wordSpans(text, words)
}

const excerpt = (text: string, spans: Spans): Highlight => {
  const looked = text.slice(0, LOOKED_THROUGH)
  return excerptOf(looked, spans(looked), LONGEST_EXCERPT)
}

/** Whether the caller may see a repository now, and what it is called. */
function nameOf(hearth: Hearth, caller: Caller, repo_id: string): string | null {
  const row = repoById(hearth.db, repo_id)
  const facts = row && factsOf(hearth.db, row, caller)
  if (
    !facts ||
    facts.deleted ||
    (facts.private && (viewerRole(facts, caller) === null || facts.two_factor_missing))
  )
    return null
  return facts.full_name
}

function repos(
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
  const spans = byPieces(pieces)
  const seen = new Set(listSeen(hearth.db, sightOf(hearth.db, caller), ids))
  return look(hearth.db, () => {
    keepRepos(hearth.db, ids)
    const rows = ids.flatMap((id) => (seen.has(id) ? (repoById(hearth.db, id) ?? []) : []))
    return repoRecords(hearth, rows, caller).map((repo) => ({
      ...repo,
      highlights: {
        name: partsOf(repo.name, spans(repo.name)),
        description: excerpt(repo.description ?? '', spans),
      },
    }))
  })
}

function people(hearth: Hearth, ids: readonly string[], terms: readonly Term[]): PersonFound[] {
  const spans = byPieces(terms)
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
          username: partsOf(username, spans(username)),
          name: name === null ? [] : partsOf(name, spans(name)),
        },
      },
    ]
  })
}

function code(hearth: Hearth, caller: Caller, files: readonly CodeHit[]): CodeFound[] {
  return files.flatMap(({ repo_id, path, commit, ref, language, matches, symbols }) => {
    const repo = nameOf(hearth, caller, repo_id)
    if (repo === null) return []
    const [first] = matches
    const address = [repo, 'blob', commit, path]
      .map((part) => part.split('/').map(encodeURIComponent).join('/'))
      .join('/')
    return [
      {
        repo,
        path,
        ref,
        sha: commit,
        language,
        html_url: `${hearth.settings.site_url}/${address}${first ? `#L${first.number}` : ''}`,
        matches: matches.map((line) => ({ number: line.number, parts: [...line.parts] })),
        symbols: [...symbols],
      },
    ]
  })
}

function commentsWith(
  hearth: Hearth,
  { repo_id, number }: RecordHit,
  spans: Spans,
  asked: boolean,
): IssueFound['highlights']['comments'] {
  if (!asked) return []
  const found: IssueFound['highlights']['comments'] = []
  for (const { id, author, body } of commentsOf(hearth, repo_id, number, {
    limit: COMMENTS_LOOKED_AT,
  })) {
    if (found.length >= MOST_COMMENTS) break
    const looked = body.slice(0, LOOKED_THROUGH)
    const places = spans(looked)
    if (places.length > 0)
      found.push({ id, author, parts: excerptOf(looked, places, LONGEST_EXCERPT) })
  }
  return found
}

function written(
  hearth: Hearth,
  caller: Caller,
  records: readonly RecordHit[],
  terms: readonly Term[],
) {
  const spans = byWords(terms)
  const asked = wanted(terms).length > 0
  const names = new Map(
    [...new Set(records.map(({ repo_id }) => repo_id))].map((id) => [
      id,
      nameOf(hearth, caller, id),
    ]),
  )
  const labels = new Map(
    [...Map.groupBy(records, ({ repo_id }) => repo_id)].map(([id, rows]) => [
      id,
      labelsOfAll(
        hearth.db,
        id,
        rows.map(({ number }) => number),
      ),
    ]),
  )
  return (
    record: RecordHit,
    row: { id: string; title: string; body: string; created_at: string; updated_at: string },
    author: IssueFound['author'],
    page: string,
  ) => {
    const repo = names.get(record.repo_id) ?? null
    if (repo === null) return null
    return {
      id: row.id,
      number: record.number,
      repo,
      title: row.title,
      author,
      labels: labels.get(record.repo_id)?.get(record.number) ?? [],
      html_url: `${hearth.settings.site_url}/${repo}/${page}/${record.number}`,
      created_at: row.created_at,
      updated_at: row.updated_at,
      highlights: {
        title: partsOf(row.title, spans(row.title)),
        body: excerpt(row.body, spans),
        comments: commentsWith(hearth, record, spans, asked),
      },
    }
  }
}

function issues(
  hearth: Hearth,
  caller: Caller,
  records: readonly RecordHit[],
  terms: readonly Term[],
): IssueFound[] {
  const rows = records.flatMap((record) => {
    const row = issueRow(hearth.db, record.repo_id, record.number)
    return row ? [{ record, row }] : []
  })
  const actor = actorLookup(
    hearth,
    rows.map(({ row }) => row.author_id),
  )
  const make = written(hearth, caller, records, terms)
  return rows.flatMap(({ record, row }) => {
    const base = make(record, row, actor(row.author_id), 'issues')
    return base
      ? [
          {
            ...base,
            state: row.reason === null ? ('open' as const) : ('closed' as const),
            reason: row.reason,
          },
        ]
      : []
  })
}

function pulls(
  hearth: Hearth,
  caller: Caller,
  records: readonly RecordHit[],
  terms: readonly Term[],
): PullFound[] {
  const rows = records.flatMap((record) => {
    const row = findPull(hearth.db, record.repo_id, record.number)
    return row ? [{ record, row }] : []
  })
  const actor = actorLookup(
    hearth,
    rows.map(({ row }) => row.author_id),
  )
  const make = written(hearth, caller, records, terms)
  return rows.flatMap(({ record, row }) => {
    const base = make(record, row, actor(row.author_id), 'pull')
    return base ? [{ ...base, status: row.status }] : []
  })
}

export function itemsOf(
  hearth: Hearth,
  caller: Caller,
  hits: Hits,
  terms: readonly Term[],
): SearchResult['items'] {
  switch (hits.type) {
    case 'code':
      return code(hearth, caller, hits.files)
    case 'issues':
      return issues(hearth, caller, hits.records, terms)
    case 'pulls':
      return pulls(hearth, caller, hits.records, terms)
    case 'people':
      return people(hearth, hits.ids, terms)
    case 'repositories':
      return repos(hearth, caller, hits.ids, terms)
  }
}
