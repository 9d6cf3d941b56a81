/**
 * Repositories and people whose names fit. What the index gives is held against the names as they
 * are now.
 */
import type { DatabaseHandle } from '#core/db.ts'
import type { Deadline } from './deadline.ts'
import { folded } from './parts.ts'
import { MOST_COUNTED, type FindRequest } from './request.ts'
import {
  listNameRows,
  listPeople,
  listReposAfter,
  listReposById,
  repoConditions,
  type PersonHit,
  type RepoHit,
  type Sql,
} from './store-find.ts'

const STEP = 500
/** The index knows pieces of three characters and more. */
const SHORTEST = 3

type Result = { readonly hits: string[]; readonly incomplete: boolean }

const pieces = ({ terms }: FindRequest, not: boolean): string[] =>
  terms
    .filter((term) => term.not === not)
    .map(({ text }) => folded(text.trim()))
    .filter((piece) => piece !== '')

/**
 * What a name or a description must hold for a piece to be in it: of `acme/site` only what is
 * behind the slash is in one of them.
 */
const indexed = (piece: string): string => piece.slice(piece.lastIndexOf('/') + 1)

/** Goes through the repositories that may fit, in steps. */
function* candidates(
  db: DatabaseHandle,
  wanted: readonly string[],
  repos: Sql,
): Generator<RepoHit[]> {
  const parts = wanted.map(indexed).filter((part) => [...part].length >= SHORTEST)
  if (parts.length === 0) {
    for (let after = ''; ; ) {
      const rows = listReposAfter(db, after, STEP, repos)
      yield rows
      if (rows.length < STEP) return
      after = rows.at(-1)?.id ?? ''
    }
  }
  const match = parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(' AND ')
  for (let after = 0; ; ) {
    const rows = listNameRows(db, match, after, STEP)
    yield listReposById(
      db,
      rows.map(({ repo_id }) => repo_id),
      repos,
    )
    if (rows.length < STEP) return
    after = rows.at(-1)?.id ?? 0
  }
}

/** The better, the higher: the name itself, its beginning, in it, only in the description. */
function rank(repo: RepoHit, wanted: readonly string[]): number {
  const name = folded(repo.name)
  const full = `${repo.slug}/${name}`
  return wanted.reduce((sum, piece) => {
    const text = piece.includes('/') ? full : name
    return (
      sum + (text === piece ? 100 : text.startsWith(piece) ? 40 : text.includes(piece) ? 20 : 0)
    )
  }, 0)
}

export function findRepos(db: DatabaseHandle, request: FindRequest, deadline: Deadline): Result {
  const { filters, scope, sort } = request
  const wanted = pieces(request, false)
  const unwanted = pieces(request, true)
  const found: RepoHit[] = []
  let incomplete = false
  for (const rows of candidates(db, wanted, repoConditions('repositories', scope, filters))) {
    for (const row of rows) {
      const text = folded(
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
  const ranks = new Map(sort === 'best' ? found.map((row) => [row.id, rank(row, wanted)]) : [])
  found.sort(
    (a, b) =>
      (ranks.get(b.id) ?? 0) - (ranks.get(a.id) ?? 0) ||
      (at(a) < at(b) ? 1 : at(a) > at(b) ? -1 : 0),
  )
  return { hits: found.slice(0, MOST_COUNTED).map(({ id }) => id), incomplete }
}

/**
 * People are few beside what they write, and are looked through as they are; so nobody is found
 * under a name that was given up.
 */
export function findPeople(db: DatabaseHandle, request: FindRequest): Result {
  const { sort, scope } = request
  const strip = (text: string): string => text.trim().replace(/^@/, '')
  const texts = (not: boolean) =>
    request.terms
      .filter((term) => term.not === not)
      .map(({ text }) => strip(text))
      .filter((text) => text !== '')
  const wanted = texts(false)
  if (wanted.length === 0 || scope.bound !== null) return { hits: [], incomplete: false }
  const people = listPeople(db, wanted, texts(true), MOST_COUNTED)
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
