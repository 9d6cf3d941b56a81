/**
 * Merges commits: a three-way merge over their merge base. If histories cross, the merge base is
 * itself a merge (git-merge, `ort`).
 */
import { EMPTY_TREE } from '../object.ts'
import {
  GitError,
  type ConflictLimits,
  type GitObject,
  type MergeConflicts,
  type ObjectDatabase,
  type Oid,
  type Resolution,
  type TreeMerge,
} from '../ports.ts'
import { TreeAttributes } from '../attributes/index.ts'
import { manyFiles } from '../diff/effort.ts'
import { commitSource, type CommitNode, type CommitSource } from '../history/commit-source.ts'
import { keyToText, type PathKey } from '../history/names.ts'
import { findMergeBasesIn } from '../history/reachability.ts'
import { TreeCursor, treeOf } from '../history/tree.ts'
import { applyRenames } from './apply-renames.ts'
import { collect } from './collect.ts'
import { chooseVersion, describeConflicts } from './conflicts.ts'
import { checkPath } from './path-check.ts'
import { ScratchDatabase } from './scratch-database.ts'
import { settle } from './settle.ts'
import { MergeState, type MergeLabels, type ResolveVersion } from './state.ts'

/** Merges of merge bases per merge. Histories that cross more often are crafted. */
const MAX_VIRTUAL_MERGES = 500
const MAX_NESTING = 50

const TOP: MergeLabels = { ours: 'ours', theirs: 'theirs' }
const NESTED: MergeLabels = { ours: 'Temporary merge branch 1', theirs: 'Temporary merge branch 2' }

/**
 * Merges commit `theirs` into commit `ours`. Returns the tree, or the paths in conflict. Commits
 * without common history are merged over the empty tree. Only the new blobs and trees of a clean
 * result are written to `db`. `resolutions` replace conflicts of single paths. Throws GitError
 * `missing` for unknown commits, `too_large` for crafted histories or trees, and `invalid` for a
 * resolution of a path that has no such conflict.
 */
export function mergeTrees(
  db: ObjectDatabase,
  ours: Oid,
  theirs: Oid,
  resolutions: readonly Resolution[] = [],
): TreeMerge {
  const merger = new Merger(db, resolutions)
  return merger.keep(merger.commits(merger.node(ours), merger.node(theirs), 0))
}

/** The conflicts of the same merge. Nothing is written to `db`. */
export function findConflicts(
  db: ObjectDatabase,
  ours: Oid,
  theirs: Oid,
  limits: ConflictLimits,
): MergeConflicts {
  const merger = new Merger(db)
  merger.commits(merger.node(ours), merger.node(theirs), 0)
  return merger.describe(limits)
}

/** The same for three trees. */
export function mergeThreeTrees(db: ObjectDatabase, base: Oid, ours: Oid, theirs: Oid): TreeMerge {
  const merger = new Merger(db)
  return merger.keep(merger.trees(base, ours, theirs, 0))
}

type Merged = { readonly tree: Oid; readonly conflicts: readonly string[] }

class Merger implements CommitSource {
  private readonly scratch: ScratchDatabase
  private readonly source: CommitSource
  private readonly virtual = new Map<Oid, CommitNode>()
  private readonly bases = new Map<string, CommitNode>()
  private readonly effort = manyFiles()
  private readonly resolutions: ReadonlyMap<PathKey, ResolveVersion>
  private attributes: TreeAttributes | null = null
  private top: MergeState | null = null

  constructor(
    private readonly db: ObjectDatabase,
    resolutions: readonly Resolution[] = [],
  ) {
    this.scratch = new ScratchDatabase(db)
    this.source = commitSource(db)
    this.resolutions = new Map(
      resolutions.map((one) => [checkPath(one.path), chooseVersion(this.scratch, one)]),
    )
  }

  get(oid: Oid): CommitNode {
    return this.virtual.get(oid) ?? this.source.get(oid)
  }

  node(oid: Oid): CommitNode {
    return this.source.get(oid)
  }

  commits(ours: CommitNode, theirs: CommitNode, depth: number): Merged {
    this.attributesOf(ours.tree)
    return this.trees(this.baseTree(ours, theirs, depth), ours.tree, theirs.tree, depth)
  }

  private baseTree(ours: CommitNode, theirs: CommitNode, depth: number): Oid {
    // Oldest first, as in git.
    const bases = findMergeBasesIn(this, ours.oid, theirs.oid).reverse()
    const [first, ...rest] = bases
    if (first === undefined) return EMPTY_TREE
    return rest.reduce(
      (merged, oid) => this.mergeOfBases(merged, this.get(oid), depth + 1),
      this.get(first),
    ).tree
  }

  /** A commit for the merge of two merge bases; its files contain the conflicts as markers. */
  private mergeOfBases(a: CommitNode, b: CommitNode, depth: number): CommitNode {
    const key = `${a.oid} ${b.oid} ${depth}`
    const known = this.bases.get(key)
    if (known) return known
    if (this.bases.size >= MAX_VIRTUAL_MERGES || depth > MAX_NESTING)
      throw new GitError('too_large', 'the histories cross too often to be merged')
    const { tree } = this.commits(a, b, depth)
    const time = Math.max(a.time, b.time)
    const node: CommitNode = {
      oid: `virtual ${this.virtual.size}`,
      tree,
      parents: [a.oid, b.oid],
      time,
      generation: Infinity,
    }
    this.virtual.set(node.oid, node)
    this.bases.set(key, node)
    return node
  }

  trees(base: Oid, ours: Oid, theirs: Oid, depth: number): Merged {
    const [o, a, b] = [base, ours, theirs].map((oid) => treeOf(this.scratch, oid))
    if (o === undefined || a === undefined || b === undefined)
      return { tree: EMPTY_TREE, conflicts: [] }
    if (a === b || b === o) return { tree: a, conflicts: [] }
    if (a === o) return { tree: b, conflicts: [] }
    const state = new MergeState(
      this.scratch,
      this.effort,
      depth,
      depth === 0 ? TOP : NESTED,
      this.attributesOf(a),
      depth === 0 ? this.resolutions : undefined,
    )
    if (depth === 0) this.top = state
    collect(state, o, a, b)
    applyRenames(state)
    const tree = settle(state)
    return { tree, conflicts: [...state.conflicts].sort().map(keyToText) }
  }

  /**
   * The attributes of our side, for the merges of merge bases too: as if our side were checked out.
   */
  private attributesOf(ours: Oid): TreeAttributes {
    return (this.attributes ??= new TreeAttributes(this.scratch, ours))
  }

  keep({ tree, conflicts }: Merged): TreeMerge {
    for (const path of this.resolutions.keys())
      if (!this.top?.resolved.has(path))
        throw new GitError(
          'invalid',
          `path ${JSON.stringify(keyToText(path))} has no such conflict`,
        )
    if (conflicts.length > 0) return { conflicts }
    this.scratch.keep(tree, this.db, namedBy)
    return { tree }
  }

  /** The conflicts of the last merge of trees. */
  describe(limits: ConflictLimits): MergeConflicts {
    return this.top ? describeConflicts(this.top, limits) : { files: [], total: 0 }
  }
}

function* namedBy(object: GitObject): Generator<Oid, void> {
  if (object.type !== 'tree') return
  const cursor = new TreeCursor(object.data)
  while (cursor.next()) yield cursor.oid()
}
