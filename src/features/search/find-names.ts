/**
 * Finds repositories and people by their names. The current names are checked after the index
 * query.
 */
import type { DatabaseHandle } from '#core/db.ts'
import type { Deadline } from './deadline.ts'
import { foldText } from './highlight.ts'
import { MAX_COUNTED, type FindRequest } from './find-request.ts'
import {
  listNameRows,
  listPeople,
  listReposAfter,
  listReposById,
  repoConditions,
  type PersonHit,
  type RepoHit,
  type SqlCondition,
} from './store-queries.ts'

const STEP_ROWS = 500
/** The trigram index finds texts of at least three characters. */
const MIN_INDEXED_LENGTH = 3

type NameResult = { readonly hits: string[]; readonly incomplete: boolean }

const pieces = ({ terms }: FindRequest, not: boolean): string[] =>
  terms
    .filter((term) => term.not === not)
    .map(({ text }) => foldText(text.trim()))
    .filter((piece) => piece !== '')

/**
 * The part of a term that the index can find: of `acme/site` only the part after the slash, because
 * names and descriptions do not contain the rest.
 */
const indexedPart = (piece: string): string => piece.slice(piece.lastIndexOf('/') + 1)

/** Yields candidate repositories in steps. */
function* listCandidateRepos(
  db: DatabaseHandle,
  wanted: readonly string[],
  repos: SqlCondition,
): Generator<RepoHit[]> {
  const parts = wanted.map(indexedPart).filter((part) => [...part].length >= MIN_INDEXED_LENGTH)
  if (parts.length === 0) {
    for (let after = ''; ; ) {
      const rows = listReposAfter(db, after, STEP_ROWS, repos)
      yield rows
      if (rows.length < STEP_ROWS) return
      after = rows.at(-1)?.id ?? ''
    }
  }
  const match = parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(' AND ')
  for (let after = 0; ; ) {
    const rows = listNameRows(db, match, after, STEP_ROWS)
    yield listReposById(
      db,
      rows.map(({ repo_id }) => repo_id),
      repos,
    )
    if (rows.length < STEP_ROWS) return
    after = rows.at(-1)?.id ?? 0
  }
}

/**
 * The score of a repository: exact name, then prefix, then containment, then a match in the
 * description only.
 */
function rankRepo(repo: RepoHit, wanted: readonly string[]): number {
  const name = foldText(repo.name)
  const full = `${repo.slug}/${name}`
  return wanted.reduce((sum, piece) => {
    const text = piece.includes('/') ? full : name
    return (
      sum + (text === piece ? 100 : text.startsWith(piece) ? 40 : text.includes(piece) ? 20 : 0)
    )
  }, 0)
}

export function findRepos(
  db: DatabaseHandle,
  request: FindRequest,
  deadline: Deadline,
): NameResult {
  const { filters, scope, sort } = request
  const wanted = pieces(request, false)
  const unwanted = pieces(request, true)
  const found: RepoHit[] = []
  let incomplete = false
  for (const rows of listCandidateRepos(
    db,
    wanted,
    repoConditions('repositories', scope, filters),
  )) {
    for (const row of rows) {
      const text = foldText(
        `${row.slug}/${row.name}\n${row.description ?? ''}\n${(JSON.parse(row.topics) as string[]).join('\n')}`,
      )
      if (
        !wanted.every((piece) => text.includes(piece)) ||
        unwanted.some((piece) => text.includes(piece))
      )
        continue
      const language = row.language?.toLowerCase() ?? ''
      if (filters.languages.every(({ values, not }) => values.includes(language) !== not))
        found.push(row)
    }
    if (deadline.passed()) {
      incomplete = true
      break
    }
  }
  const at = (row: RepoHit): string =>
    sort === 'created'
      ? row.created_at
      : sort === 'updated'
        ? row.updated_at
        : (row.pushed_at ?? row.created_at)
  const ranks = new Map(sort === 'best' ? found.map((row) => [row.id, rankRepo(row, wanted)]) : [])
  found.sort(
    (a, b) =>
      (ranks.get(b.id) ?? 0) - (ranks.get(a.id) ?? 0) ||
      (at(a) < at(b) ? 1 : at(a) > at(b) ? -1 : 0),
  )
  return { hits: found.slice(0, MAX_COUNTED).map(({ id }) => id), incomplete }
}

/** Finds people without an index, because they are few. So former names find nobody. */
export function findPeople(db: DatabaseHandle, request: FindRequest): NameResult {
  const { sort, scope } = request
  const strip = (text: string): string => text.trim().replace(/^@/, '')
  const texts = (not: boolean) =>
    request.terms
      .filter((term) => term.not === not)
      .map(({ text }) => strip(text))
      .filter((text) => text !== '')
  const wanted = texts(false)
  if (wanted.length === 0 || scope.onlyRepo !== null) return { hits: [], incomplete: false }
  const people = listPeople(db, wanted, texts(true), MAX_COUNTED)
  const fit = ({ username, name }: PersonHit): number =>
    wanted.reduce((sum, text) => {
      const piece = text.toLowerCase()
      return (
        sum +
        (username === piece
          ? 100
          : username.startsWith(piece)
            ? 40
            : name?.toLowerCase().startsWith(piece)
              ? 30
              : username.includes(piece)
                ? 20
                : 10)
      )
    }, 0)
  const at = (one: PersonHit): string => (sort === 'updated' ? one.updated_at : one.created_at)
  people.sort((a, b) =>
    sort === 'best'
      ? fit(b) - fit(a) ||
        a.username.length - b.username.length ||
        (a.username < b.username ? -1 : 1)
      : at(a) < at(b)
        ? 1
        : -1,
  )
  return { hits: people.map(({ id }) => id), incomplete: false }
}
