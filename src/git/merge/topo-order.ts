/**
 * Sorts commits so that each comes before its parents and lines of history stay together
 * (git-rev-list `--topo-order`).
 */
import type { Oid } from '../ports.ts'
import type { CommitNode } from '../history/commit-source.ts'

/** `nodes` must be newest first, each commit once. */
export function topoOrder(nodes: readonly CommitNode[]): CommitNode[] {
  const children = new Map<Oid, number>(nodes.map((node) => [node.oid, 0]))
  const known = new Map<Oid, CommitNode>(nodes.map((node) => [node.oid, node]))
  for (const node of nodes) {
    for (const parent of node.parents) {
      const count = children.get(parent)
      if (count !== undefined) children.set(parent, count + 1)
    }
  }
  const stack = nodes.filter((node) => children.get(node.oid) === 0).reverse()
  const ordered: CommitNode[] = []
  for (let node = stack.pop(); node; node = stack.pop()) {
    ordered.push(node)
    for (const oid of node.parents) {
      const count = children.get(oid)
      const parent = known.get(oid)
      if (count === undefined || !parent) continue
      children.set(oid, count - 1)
      if (count === 1) stack.push(parent)
    }
  }
  return ordered
}
