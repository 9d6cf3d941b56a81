/**
 * Finds secrets that commits add. One that its file held before, or that the same commit removed
 * from another file, is not reported. The git engine's threads read the blobs and return only text
 * in the form of a secret.
 */
import type { AddedSearch, Git, Oid } from '#git'
import { findTokenSecrets, SECRET_FORM } from '#features/accounts/index.ts'
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

/** What is searched, and what a match is called; null for a match that is no secret. */
type SecretSearch = {
  readonly words: readonly string[]
  readonly pattern: string
  readonly nameOf: (text: string) => string | null
}

/** Access tokens of this forge. The engine matches their form; the checksum is verified here. */
const OWN_TOKENS: SecretSearch = {
  ...SECRET_FORM,
  nameOf: (text) => (findTokenSecrets(text).length > 0 ? 'an access token' : null),
}

const ALL_SECRETS: SecretSearch = { ...REFUSED_SECRETS, nameOf: nameOfSecret }

/** Finds access tokens of this forge. */
export const findLeakedTokens = (...args: SearchArguments): Promise<LeakedTokens> =>
  findSecrets(OWN_TOKENS, ...args)

/** Finds secrets in every format that pushes may not add. */
export const findLeakedSecrets = (...args: SearchArguments): Promise<LeakedTokens> =>
  findSecrets(ALL_SECRETS, ...args)

type SearchArguments = [
  git: Pick<Git, 'searchAdded'>,
  store: string,
  range: CommitRange,
  most?: AddedSearch['limits'],
  signal?: AbortSignal,
]

/** Searches a range of commits until a limit is reached. Each blob is read once. */
async function findSecrets(
  { nameOf, ...search }: SecretSearch,
  ...[git, store, range, most, signal]: SearchArguments
): Promise<LeakedTokens> {
  const { matches, complete } = await git.searchAdded(
    store,
    { tips: range.tips, hide: range.hide, ...search, ...(most && { limits: most }) },
    signal,
  )
  const leaks = matches.flatMap(({ commit, path, line, text }) => {
    const name = nameOf(text)
    return name === null ? [] : [{ commit, path, line, secret: text, name }]
  })
  return { leaks, complete }
}
