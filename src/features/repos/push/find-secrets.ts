/**
 * Finds secrets that commits add. One that its file held before, or that the same commit removed
 * from another file, is not reported. The git engine's threads read the blobs and return only text
 * in the form of a secret.
 */
import type { AddedSearch, Git, Oid } from '#git'
import type { SecretRule } from '#lib/secrets/secret-rules.ts'

/** A secret that a commit adds. Its text stays in memory: it is never stored or logged. */
export type FoundSecret = {
  readonly commit: Oid
  readonly path: string
  readonly line: number
  readonly secret: string
  /** The id of its format. */
  readonly type: string
  /** What people read, such as "GitHub token". */
  readonly label: string
  /** Whether push protection refuses it. */
  readonly refused: boolean
}

/** The commits that `tips` reach and `hide` do not. */
export type CommitRange = { readonly tips: readonly Oid[]; readonly hide: readonly Oid[] }

/**
 * The secrets found, those of the newest commit first. `complete` is false when a limit ended the
 * search.
 */
export type FoundSecrets = {
  readonly found: readonly FoundSecret[]
  readonly commits: number
  readonly complete: boolean
}

/** Whether it has the form of an access token of this forge. */
export const isOwnToken = ({ type }: Pick<FoundSecret, 'type'>): boolean => type === 'hearth-token'

export type SecretSearch = {
  /** Formats in addition to those that every repository has. */
  readonly custom?: readonly SecretRule[]
  /** Only those formats. */
  readonly onlyCustom?: boolean
  readonly limits?: AddedSearch['limits']
}

/** Finds secrets until a limit is reached. Each blob is read once. */
export async function findSecrets(
  git: Pick<Git, 'searchAdded'>,
  store: string,
  range: CommitRange,
  { custom = [], onlyCustom = false, limits }: SecretSearch = {},
  signal?: AbortSignal,
): Promise<FoundSecrets> {
  const { matches, commits, complete } = await git.searchAdded(
    store,
    {
      tips: range.tips,
      hide: range.hide,
      matcher: onlyCustom ? 'custom' : 'secrets',
      custom,
      ...(limits && { limits }),
    },
    signal,
  )
  const found = matches.flatMap(({ commit, path, line, text, rule }) =>
    rule === null
      ? []
      : [
          {
            commit,
            path,
            line,
            secret: text,
            type: rule.id,
            label: rule.label,
            refused: rule.refused === true,
          },
        ],
  )
  return { found, commits, complete }
}
