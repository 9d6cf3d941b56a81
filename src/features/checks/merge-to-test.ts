import type { Hearth } from '#core/hearth.ts'
import type { Oid, Signature } from '#git'

type MergeToTest = {
  readonly head: Oid
  readonly base: Oid
  /** Of the author, at the host of this site. */
  readonly mailbox: string
  /** An ISO 8601 time. With the author it is fixed, so that the same pair gives the same commit. */
  readonly at: string
}

/** The commit that tests run on: the head itself when it contains the base, else their merge. */
export async function mergeToTest(
  { git, settings }: Hearth,
  store: string,
  { head, base, mailbox, at }: MergeToTest,
): Promise<{ readonly commit: Oid } | { readonly conflicts: readonly string[] }> {
  const { behind } = await git.countAheadBehind(store, head, base)
  if (behind === 0) return { commit: head }
  const by: Signature = {
    name: 'Hearth',
    email: `${mailbox}@${new URL(settings.site_url).hostname}`,
    time: Math.floor(Date.parse(at) / 1000),
    zone: '+0000',
  }
  return git.merge(store, {
    method: 'merge',
    base,
    head,
    message: `Merge ${head} into ${base} to test it\n`,
    author: by,
    committer: by,
  })
}
