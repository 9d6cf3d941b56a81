/**
 * Finds secrets that commits add. One that its file held before, or that the same commit removed
 * from another file, is not reported. The git engine's threads read the blobs and return only text
 * in the form of a secret.
 */
import type { AddedSearch, Git, Oid } from '#git'
import { findTokenSecrets } from '#features/accounts/index.ts'
import { nameOfSecret, REFUSED_SECRETS } from '#lib/secret-formats.ts'

export type LeakedToken = {
  readonly commit: Oid
  readonly path: string
  readonly line: number
  readonly secret: string
  /** What a refusal calls it. */
  readonly name: string
}

/** The commits that `tips` reach and `hide` do not. */
export type CommitRange = { readonly tips: readonly Oid[]; readonly hide: readonly Oid[] }

/**
 * The tokens found, those of the newest commit first. `complete` is false when a limit ended the
 * search.
 */
export type LeakedTokens = { readonly leaks: readonly LeakedToken[]; readonly complete: boolean }

/** Whether it is an access token of this forge, by its form. */
export const isOwnToken = ({ secret }: LeakedToken): boolean => findTokenSecrets(secret).length > 0

/**
 * Finds secrets in every format that pushes may not add, until a limit is reached. Each blob is
 * read once. The engine matches their form; checksums and examples are looked at here.
 */
export async function findLeakedSecrets(
  git: Pick<Git, 'searchAdded'>,
  store: string,
  range: CommitRange,
  most?: AddedSearch['limits'],
  signal?: AbortSignal,
): Promise<LeakedTokens> {
  const { matches, complete } = await git.searchAdded(
    store,
    { tips: range.tips, hide: range.hide, ...REFUSED_SECRETS, ...(most && { limits: most }) },
    signal,
  )
  const leaks = matches.flatMap(({ commit, path, line, text }) => {
    const name = nameOfSecret(text)
    return name === null ? [] : [{ commit, path, line, secret: text, name }]
  })
  return { leaks, complete }
}
