/**
 * Requests to the search threads, as plain values. Names are resolved to ids, and the caller's
 * visibility is part of the request.
 */
import type { HighlightPart } from './highlight.ts'
import type { SearchType, Term } from './query.ts'
import type { SymbolKind } from './symbol-table.ts'

/**
 * Which repositories are visible: all public ones, and private ones of these workspaces or with
 * these grants, limited to `only`.
 */
export type SearchScope = {
  readonly workspaces: readonly string[]
  readonly granted: readonly string[]
  readonly only: readonly string[] | null
  /** The only repository that an agent can search, public ones included. */
  readonly onlyRepo: string | null
  /** The types that the token may read in private repositories. */
  readonly typesInPrivate: readonly SearchType[]
}

/** Any of these values; with `not`, none of them. */
export type AnyOf<T> = { readonly values: readonly T[]; readonly not: boolean }

export type Filters = {
  /** The named repositories, repositories of teams, and workspaces. Null searches everywhere. */
  readonly repos: readonly string[] | null
  readonly workspaces: readonly string[] | null
  readonly notRepos: readonly string[]
  readonly notWorkspaces: readonly string[]
  /** Repositories named individually are searched even when archived. */
  readonly named: readonly string[]
  readonly languages: readonly AnyOf<string>[]
  readonly paths: readonly { readonly pattern: string; readonly not: boolean }[]
  readonly authors: readonly AnyOf<string>[]
  readonly assignees: readonly AnyOf<string>[]
  /** In lower case. */
  readonly labels: readonly { readonly key: string; readonly not: boolean }[]
  readonly milestones: readonly { readonly key: string; readonly not: boolean }[]
  readonly is: readonly { readonly word: string; readonly not: boolean }[]
  readonly unassigned: boolean | null
  readonly symbols: readonly { readonly name: string; readonly not: boolean }[]
  readonly regexes: readonly { readonly source: string; readonly not: boolean }[]
  /** A branch of one repository; null for the default branch. */
  readonly branch: string | null
  readonly exactCase: boolean
  readonly archived: boolean
  readonly generated: boolean
}

export type Sort = 'best' | 'updated' | 'created'

export type FindRequest = {
  readonly terms: readonly Term[]
  readonly filters: Filters
  readonly scope: SearchScope
  readonly type: SearchType
  /** The types to count. The requested type always is. */
  readonly counted: readonly SearchType[]
  /** How many of the best hits of each other counted type are wanted too. */
  readonly best?: number
  readonly sort: Sort
  readonly offset: number
  readonly limit: number
  /** Milliseconds. */
  readonly budgetMs: number
}

export type CodeLine = { readonly number: number; readonly parts: HighlightPart[] }
export type CodeHit = {
  readonly repo_id: string
  readonly path: string
  readonly commit: string
  readonly ref: string
  readonly language: string | null
  readonly matches: CodeLine[]
  readonly symbols: { readonly name: string; readonly kind: SymbolKind; readonly line: number }[]
}
export type RecordHit = { readonly repo_id: string; readonly number: number }

export type Hits =
  | { readonly type: 'repositories' | 'people'; readonly ids: readonly string[] }
  | { readonly type: 'issues' | 'pulls'; readonly records: readonly RecordHit[] }
  | { readonly type: 'code' | 'wiki'; readonly files: readonly CodeHit[] }

export type FindResult = {
  readonly counts: Readonly<Record<SearchType, number>>
  readonly hits: Hits
  /** The best hits of other types that have any. */
  readonly best: readonly Hits[]
  readonly incomplete: boolean
}

/** The maximum for counts and paging. */
export const MAX_COUNTED = 1_000
