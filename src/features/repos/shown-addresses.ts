/**
 * Refuses pushes that would publish an address which its owner keeps private (the setting
 * `block_private_pushes`).
 */
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Oid, RefUpdate } from '#git'
import { hiddenAddresses, privateAddress, requireUserRow } from '#features/accounts/index.ts'
import { refsOf } from './ref-cache.ts'
import { branchOf } from './ref-names.ts'

const PAGE = 5_000

/** What a push must not show, and what to use instead; null when the person does not mind. */
type Hidden = { readonly addresses: ReadonlySet<string>; readonly instead: string }

/** The addresses of the person who pushes, or whom the pushing agent acts for. */
export function hiddenFrom(hearth: Hearth, caller: Caller): Hidden | null {
  if (caller.kind !== 'user' && caller.kind !== 'agent') return null
  const user = requireUserRow(hearth.db, caller.kind === 'agent' ? caller.owner_id : caller.id)
  const addresses = hiddenAddresses(hearth.db, user)
  return addresses && { addresses, instead: privateAddress(hearth, user.id, user.username) }
}

type Family = { readonly id: string; readonly store: string; readonly parent_id: string | null }

const branchesOf = (hearth: Hearth, repo_id: string): Oid[] =>
  refsOf(hearth.db, repo_id).refs.flatMap(({ name, oid }) => (branchOf(name) === null ? [] : [oid]))

const problem = (what: string, email: string, instead: string): string =>
  `${what} shows your private address ${email}: set user.email to ${instead}, make it anew and push again`

/**
 * Why this move is refused: the first new commit or tag that shows one of the addresses. Null when
 * none does.
 */
export async function shownAddress(
  hearth: Hearth,
  repo: Family,
  hidden: Hidden,
  update: RefUpdate,
): Promise<string | null> {
  const { addresses, instead } = hidden
  const shows = (email: string | undefined): email is string =>
    email !== undefined && addresses.has(email.trim().toLowerCase())
  let end: Oid | null = update.new
  for (
    let tag = end && (await hearth.git.tag(repo.store, end));
    tag;
    tag = await hearth.git.tag(repo.store, tag.object)
  ) {
    if (shows(tag.tagger?.email)) return problem(`the tag ${tag.name}`, tag.tagger.email, instead)
    end = tag.object
  }
  if (end === null || !(await hearth.git.commit(repo.store, end))) return null
  const hide = [repo.id, repo.parent_id].flatMap((id) =>
    id === null ? [] : branchesOf(hearth, id),
  )
  for (let skip = 0; ; skip += PAGE) {
    const commits = await hearth.git.log(repo.store, { tips: [end], hide, skip, limit: PAGE })
    for (const { oid, author, committer } of commits) {
      const shown = [author.email, committer.email].find(shows)
      if (shown !== undefined) return problem(`the commit ${oid.slice(0, 7)}`, shown, instead)
    }
    if (commits.length < PAGE) return null
  }
}
