/** The commit that runs of a pull request test: the merge of its head with its base. */
import type { Hearth } from '#core/hearth.ts'
import type { PullRow } from '#features/pulls/index.ts'
import type { Oid, Signature } from '#git'

/** Null for conflicts. The head itself when it contains the base. */
export async function mergeForRun(
  { git, settings }: Hearth,
  store: string,
  pull: Pick<PullRow, 'base_sha' | 'number' | 'created_at'> & { readonly head_sha: Oid },
): Promise<Oid | null> {
  const { head_sha: head, base_sha: base } = pull
  const { behind } = await git.countAheadBehind(store, head, base)
  if (behind === 0) return head
  // A fixed time and author, so that the same pair always gives the same commit.
  const by: Signature = {
    name: 'Hearth',
    email: `runs@${new URL(settings.site_url).hostname}`,
    time: Math.floor(Date.parse(pull.created_at) / 1000),
    zone: '+0000',
  }
  const landing = await git.merge(store, {
    method: 'merge',
    base,
    head,
    message: `Merge ${head} into ${base} to test it\n`,
    author: by,
    committer: by,
  })
  return 'conflicts' in landing ? null : landing.commit
}
