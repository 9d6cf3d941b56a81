/**
 * Landing a branch on its base as a merge commit, as one squashed commit, or commit by commit
 * (git-merge, git-rebase).
 */
import { EMPTY_TREE, serializeCommit } from '../object.ts'
import {
  type Landing,
  type MergeMethod,
  type ObjectDatabase,
  type Oid,
  type Signature,
} from '../ports.ts'
import { commitSource, type CommitNode } from '../history/commit-source.ts'
import { walkCommits } from '../history/log.ts'
import { readRawCommit, replayedCommit } from './commit-bytes.ts'
import { mergeThreeTrees, mergeTrees } from './merge-trees.ts'
import { topoOrder } from './topo-order.ts'

export type LandOptions = {
  method: MergeMethod
  base: Oid
  head: Oid
  message: string
  author: Signature
  committer: Signature
  trailers?: readonly string[]
}

/**
 * Builds what would land `head` on `base` and writes it; a landing always makes new commits and
 * never fast-forwards. `merge` has the parents base and head; `squash` has base alone; `rebase`
 * replays every commit of base..head that is not a merge, oldest first, with its author and message
 * and the given committer. Commits that come to nothing on the new base are left out, those that
 * never changed anything are kept, as `git rebase` does. Gives GitError `missing`.
 */
export function land(db: ObjectDatabase, options: LandOptions): Landing {
  if (options.method === 'rebase') return rebase(db, options)
  const merged = mergeTrees(db, options.base, options.head)
  if ('conflicts' in merged) return merged
  const parents = options.method === 'merge' ? [options.base, options.head] : [options.base]
  const { author, committer, message } = options
  const commit = db.write(
    'commit',
    serializeCommit({ tree: merged.tree, parents, author, committer, message }),
  )
  return { commit, tree: merged.tree }
}

export type RevertOptions = {
  base: Oid
  from: Oid
  to: Oid
  message: string
  author: Signature
  committer: Signature
}

/**
 * A commit on `base` that takes back what changed between `from` and `to` (git-revert): a three-way
 * merge whose base is the state after the change. Where nothing of it is left, nothing is made and
 * the commit is `base` itself. Gives GitError `missing`.
 */
export function revert(
  db: ObjectDatabase,
  { base, from, to, author, committer, message }: RevertOptions,
): Landing {
  const { tree } = commitSource(db).get(base)
  const merged = mergeThreeTrees(db, to, tree, from)
  if ('conflicts' in merged) return merged
  if (merged.tree === tree) return { commit: base, tree }
  return {
    commit: db.write(
      'commit',
      serializeCommit({ tree: merged.tree, parents: [base], author, committer, message }),
    ),
    tree: merged.tree,
  }
}

function rebase(db: ObjectDatabase, options: LandOptions): Landing {
  const source = commitSource(db)
  let commit = options.base
  let { tree } = source.get(options.base)
  const commits = [...walkCommits(db, { tips: [options.head], hide: [options.base] })]
  for (const node of topoOrder(commits).reverse()) {
    if (node.parents.length > 1) continue
    const before = parentTree(node)
    const merged = mergeThreeTrees(db, before, tree, node.tree)
    if ('conflicts' in merged) return merged
    if (merged.tree === tree && node.tree !== before) continue
    tree = merged.tree
    const data = replayedCommit(readRawCommit(db, node.oid), {
      tree,
      parent: commit,
      committer: options.committer,
      trailers: options.trailers ?? [],
    })
    commit = db.write('commit', data)
  }
  return { commit, tree }

  function parentTree(node: CommitNode): Oid {
    const [parent] = node.parents
    return parent === undefined ? EMPTY_TREE : source.get(parent).tree
  }
}
