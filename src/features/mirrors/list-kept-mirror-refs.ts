import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, OneOf, RepoPath, Sha, Time, Type } from '#core/schema.ts'
import { listKeptRefs } from './store-refs.ts'

/** Former tips that anybody who can push may make a branch of, for the page of the mirror. */
export const listKeptMirrorRefs = operation({
  name: 'list_kept_mirror_refs',
  summary: 'The former tips of refs that mirrors moved or overwrote in the last 90 days.',
  route: null,
  access: readsRepoAs('write', { scope: 'code:read', whileArchived: true }),
  input: Type.Object({ repo: RepoPath, ...byPage() }),
  list: 'page',
  output: ListOf(
    Type.Object({
      sha: Sha,
      ref: Type.String(),
      side: OneOf(['service', 'remote']),
      kept_at: Time,
    }),
  ),

  handler: ({ db, repo }, { repo: _, ...paging }) => {
    const window = windowOf(paging)
    const rows = listKeptRefs(db, repo.id, { limit: window.limit + 1, offset: window.offset })
    return pageOf(
      rows.map(({ oid, name, side, kept_at }) => ({ sha: oid, ref: name, side, kept_at })),
      window,
    )
  },
})
