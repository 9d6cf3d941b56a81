import type { Hearth } from '#core/hearth.ts'
import { mergeToTest } from '#features/checks/index.ts'
import type { PullRow } from '#features/pulls/index.ts'
import type { Oid } from '#git'

/** The commit that runs of a pull request test. Null for conflicts. */
export async function mergeForRun(
  hearth: Hearth,
  store: string,
  pull: Pick<PullRow, 'base_sha' | 'created_at'> & { readonly head_sha: Oid },
): Promise<Oid | null> {
  const merge = await mergeToTest(hearth, store, {
    head: pull.head_sha,
    base: pull.base_sha,
    mailbox: 'runs',
    at: pull.created_at,
  })
  return 'conflicts' in merge ? null : merge.commit
}
