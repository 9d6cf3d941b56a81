/**
 * Finds access tokens of this forge that commits add. A token that was at its place before, or in a
 * file that the same commit took away, is no news of this push. The reading happens in the git
 * engine's threads; only what looks like a token comes here.
 */
import type { AddedSearch, Git, Oid } from '#git'
import { findSecrets, SECRET_FORM } from '#features/accounts/index.ts'

export type Leak = {
  readonly commit: Oid
  readonly path: string
  readonly line: number
  readonly secret: string
}

/** Commits to look through: those that `tips` reach and `hide` do not. */
export type Range = { readonly tips: readonly Oid[]; readonly hide: readonly Oid[] }

/** What was found, the newest commit's first, and whether that is all. */
export type Leaks = { readonly leaks: readonly Leak[]; readonly complete: boolean }

/** Goes through a range, every file once however many commits hold it, until a bound is met. */
export async function leaksIn(
  git: Pick<Git, 'searchAdded'>,
  store: string,
  range: Range,
  most?: AddedSearch['most'],
  signal?: AbortSignal,
): Promise<Leaks> {
  const { matches, complete } = await git.searchAdded(
    store,
    { tips: range.tips, hide: range.hide, ...SECRET_FORM, ...(most && { most }) },
    signal,
  )
  // The form is known to the engine, the check digits are known here.
  const leaks = matches
    .filter(({ text }) => findSecrets(text).length > 0)
    .map(({ commit, path, line, text }) => ({ commit, path, line, secret: text }))
  return { leaks, complete }
}
