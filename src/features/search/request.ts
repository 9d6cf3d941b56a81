/**
 * What the threads of the search are asked, as plain values: names are ids already, and rights are
 * part of the question.
 */
import type { HighlightPart } from './parts.ts'
import type { SearchType, Term } from './query.ts'
import type { SymbolKind } from './symbol-table.ts'

/**
 * What may be seen, by rule: everything public, and private repositories of these workspaces and
 * those granted, narrowed to `only`.
 */
export type Scope = {
  readonly workspaces: readonly string[]
  readonly granted: readonly string[]
  readonly only: readonly string[] | null
  /** An agent finds nothing outside its repository, public or not. */
  readonly bound: string | null
  /** The types that a token may read in private repositories. */
  readonly inPrivate: readonly SearchType[]
}

/** One of these; with `not`, none of them. */
export type AnyOf<T> = { readonly values: readonly T[]; readonly not: boolean }

export type Filters = {
  /**
   * Repositories, workspaces and repositories of teams that were named: any of them. Null for
   * everywhere.
   */
  readonly repos: readonly string[] | null
  readonly workspaces: readonly string[] | null
  readonly notRepos: readonly string[]
  readonly notWorkspaces: readonly string[]
  /** Repositories that were named by themselves are searched though they are archived. */
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
  /** A branch of one repository, instead of the default one. */
  readonly branch: string | null
  readonly exactCase: boolean
  readonly archived: boolean
  readonly generated: boolean
}

export type Sort = 'best' | 'updated' | 'created'

export type FindRequest = {
  readonly terms: readonly Term[]
  readonly filters: Filters
  readonly scope: Scope
  readonly type: SearchType
  /** The types to count; the one asked for always is. */
  readonly counted: readonly SearchType[]
  readonly sort: Sort
  readonly offset: number
  readonly limit: number
  /** Milliseconds. */
  readonly budget: number
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
  | { readonly type: 'code'; readonly files: readonly CodeHit[] }

export type Found = {
  readonly counts: Readonly<Record<SearchType, number>>
  readonly hits: Hits
  readonly incomplete: boolean
}

/** More than this is not counted, nor leafed through. */
export const MOST_COUNTED = 1_000
