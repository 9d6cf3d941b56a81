/**
 * Merges a branch into its base as a merge commit, as one squashed commit, or by a rebase
 * (git-merge, git-rebase).
 */
import { EMPTY_TREE, serializeCommit } from '../object.ts'
import type {
  MergeResult,
  MergeMethod,
  ObjectDatabase,
  Oid,
  Resolution,
  Signature,
} from '../ports.ts'
import { commitSource, type CommitNode } from '../history/commit-source.ts'
import { walkCommits } from '../history/log.ts'
import { readRawCommit, replayedCommit } from './commit-bytes.ts'
import { mergeThreeTrees, mergeTrees } from './merge-trees.ts'
import { topoOrder } from './topo-order.ts'

export type MergeOptions = {
  method: MergeMethod
  base: Oid
  head: Oid
  message: string
  author: Signature
  committer: Signature
  trailers?: readonly string[]
  resolutions?: readonly Resolution[]
}

/**
 * Merges `head` into `base` and writes the result. It always creates new commits and never
 * fast-forwards. `merge` has the parents base and head; `squash` has base alone. `rebase` replays
 * every commit of base..head that is no merge, oldest first, with its author and message and the
 * given committer. As in `git rebase`, commits that become empty are dropped and those that were
 * empty are kept. `resolutions` do not apply to `rebase`. Throws GitError `missing`.
 */
export function merge(db: ObjectDatabase, options: MergeOptions): MergeResult {
  if (options.method === 'rebase') return rebase(db, options)
  const merged = mergeTrees(db, options.base, options.head, options.resolutions)
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
 * Creates a commit on `base` that reverts the changes between `from` and `to` (git-revert): a
 * three-way merge whose base is `to`. If nothing is left to revert, no object is created and the
 * commit is `base`. Throws GitError `missing`.
 */
export function revert(
  db: ObjectDatabase,
  { base, from, to, author, committer, message }: RevertOptions,
): MergeResult {
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

function rebase(db: ObjectDatabase, options: MergeOptions): MergeResult {
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
