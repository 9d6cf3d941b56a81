/**
 * Refuses pushes that would publish an email address which its owner keeps private (setting
 * `block_private_pushes`).
 */
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Oid, RefUpdate } from '#git'
import { hiddenAddresses, privateAddress, requireUserRow } from '#features/accounts/index.ts'
import { refsOf } from '../refs/ref-cache.ts'
import { branchOf } from '../refs/ref-names.ts'

const COMMITS_PER_PAGE = 5_000

/** The addresses that a push must not contain, and the replacement. */
type PrivateAddresses = { readonly addresses: ReadonlySet<string>; readonly instead: string }

/**
 * Returns the private addresses of the pusher, or of the owner of a pushing agent; null when the
 * person allows them.
 */
export function privateAddressesOf(hearth: Hearth, caller: Caller): PrivateAddresses | null {
  if (caller.kind !== 'user' && caller.kind !== 'agent') return null
  const user = requireUserRow(hearth.db, caller.kind === 'agent' ? caller.owner_id : caller.id)
  const addresses = hiddenAddresses(hearth.db, user)
  return addresses && { addresses, instead: privateAddress(hearth, user.id, user.username) }
}

type Family = { readonly id: string; readonly store: string; readonly parent_id: string | null }

const branchesOf = (hearth: Hearth, repo_id: string): Oid[] =>
  refsOf(hearth, repo_id).refs.flatMap(({ name, oid }) => (branchOf(name) === null ? [] : [oid]))

const exposureMessage = (what: string, email: string, instead: string): string =>
  `${what} shows your private address ${email}: set user.email to ${instead}, make it anew and push again`

/**
 * Returns the message for the first new commit or tag that contains one of the addresses; null when
 * none does. `known` are more commits that were in the repository before.
 */
export async function findExposedAddress(
  hearth: Hearth,
  repo: Family,
  hidden: PrivateAddresses,
  update: RefUpdate,
  known: readonly Oid[] = [],
): Promise<string | null> {
  const { addresses, instead } = hidden
  const shows = (email: string | undefined): email is string =>
    email !== undefined && addresses.has(email.trim().toLowerCase())
  let end: Oid | null = update.new
  for (
    let tag = end && (await hearth.git.readTag(repo.store, end));
    tag;
    tag = await hearth.git.readTag(repo.store, tag.object)
  ) {
    if (shows(tag.tagger?.email))
      return exposureMessage(`the tag ${tag.name}`, tag.tagger.email, instead)
    end = tag.object
  }
  if (end === null || !(await hearth.git.readCommit(repo.store, end))) return null
  const branches = [repo.id, repo.parent_id].flatMap((id) =>
    id === null ? [] : branchesOf(hearth, id),
  )
  const hide = [...branches, ...known]
  for (let skip = 0; ; skip += COMMITS_PER_PAGE) {
    const commits = await hearth.git.log(repo.store, {
      tips: [end],
      hide,
      skip,
      limit: COMMITS_PER_PAGE,
    })
    for (const { oid, author, committer } of commits) {
      const shown = [author.email, committer.email].find(shows)
      if (shown !== undefined)
        return exposureMessage(`the commit ${oid.slice(0, 7)}`, shown, instead)
    }
    if (commits.length < COMMITS_PER_PAGE) return null
  }
}
