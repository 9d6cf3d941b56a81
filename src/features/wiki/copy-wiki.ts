/** Copies the wiki of a repository on another forge. */
import { writeAs } from '#core/write.ts'
import {
  branchOf,
  COLLISION_SCAN_DELAY_MS,
  findSha1Collisions,
  refsOf,
  remoteTransport,
  requireRepo,
  shortNameProblem,
  type wikiCopiers,
} from '#features/repos/index.ts'
import { findQuotaProblem } from '#features/workspaces/index.ts'
import { RemoteError, type Ref, type RemoteRefs } from '#git'
import { findWiki, setWiki } from './store.ts'

type Copier = Parameters<(typeof wikiCopiers)['with']>[0]

/** A wiki is one branch: the one that HEAD names, else `main` or `master`, else the first. */
function chooseBranch({ head, refs }: RemoteRefs): Ref | null {
  const branches = refs.filter(({ name }) => {
    const branch = branchOf(name)
    return branch !== null && shortNameProblem('heads', branch) === null
  })
  const named = (name: string | null) => branches.find((ref) => ref.name === name)
  return (
    named(head) ?? named('refs/heads/main') ?? named('refs/heads/master') ?? branches[0] ?? null
  )
}

export const copyWiki: Copier = async (hearth, row, { url, secret, signal, transport }) => {
  if (findWiki(hearth.db, row.id)) return true
  let tooMuch: string | null = null
  let found = false
  try {
    await hearth.git.fetchFrom(row.store, transport ?? remoteTransport(hearth, { url, secret }), {
      url,
      prefixes: ['refs/heads/'],
      local: refsOf(hearth, row.id),
      signal,
      selectRefs: (remote) => [chooseBranch(remote)].filter((ref) => ref !== null),
      apply: async ({ refs: [head], bytes, unscanned }) => {
        if (!head) return false
        tooMuch = findQuotaProblem(hearth, row.workspace_id, 'repos_bytes', bytes)
        if (tooMuch !== null) return false
        found = true
        await writeAs(hearth, null, (tx) => {
          if (requireRepo(tx.db, row.id).deleted_at !== null || findWiki(tx.db, row.id)) return
          setWiki(tx, row.id, branchOf(head.name) ?? 'main', head.oid)
          if (unscanned)
            tx.enqueue(
              findSha1Collisions,
              { repo_id: row.id, tips: [head.oid], hide: [] },
              { delay_ms: COLLISION_SCAN_DELAY_MS },
            )
        })
        return true
      },
    })
  } catch (error) {
    // A forge answers with 404 (or asks for a password) where nobody has written a page yet.
    if (error instanceof RemoteError && [401, 403, 404].includes(error.status ?? 0)) return false
    throw error
  }
  if (tooMuch !== null) throw new RemoteError('invalid', tooMuch)
  return found
}
