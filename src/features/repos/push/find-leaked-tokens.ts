/**
 * Finds access tokens of this forge that commits add. A token that its file held before, or that
 * the same commit removed from another file, is not reported. The git engine's threads read the
 * blobs and return only text in the form of a token.
 */
import type { AddedSearch, Git, Oid } from '#git'
import { findTokenSecrets, SECRET_FORM } from '#features/accounts/index.ts'

export type LeakedToken = {
  readonly commit: Oid
  readonly path: string
  readonly line: number
  readonly secret: string
}

/** The commits that `tips` reach and `hide` do not. */
export type CommitRange = { readonly tips: readonly Oid[]; readonly hide: readonly Oid[] }

/**
 * The tokens found, those of the newest commit first. `complete` is false when a limit ended the
 * search.
 */
export type LeakedTokens = { readonly leaks: readonly LeakedToken[]; readonly complete: boolean }

/** Searches a range of commits until a limit is reached. Each blob is read once. */
export async function findLeakedTokens(
  git: Pick<Git, 'searchAdded'>,
  store: string,
  range: CommitRange,
  most?: AddedSearch['limits'],
  signal?: AbortSignal,
): Promise<LeakedTokens> {
  const { matches, complete } = await git.searchAdded(
    store,
    { tips: range.tips, hide: range.hide, ...SECRET_FORM, ...(most && { limits: most }) },
    signal,
  )
  // The engine matches the form of a token; the checksum is verified here.
  const leaks = matches
    .filter(({ text }) => findTokenSecrets(text).length > 0)
    .map(({ commit, path, line, text }) => ({ commit, path, line, secret: text }))
  return { leaks, complete }
}
