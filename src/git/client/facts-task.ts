/**
 * What a host writes down about moves of refs, for many of them at once: one walk serves all that
 * share history.
 */
import { GitError, type Oid } from '../ports.ts'
import type { OpenStore } from '../tasks/open-store.ts'
import type { Task } from '../tasks/task.ts'
import { peelHex } from '../walk/peel.ts'
import { selectCommits } from '../walk/select-commits.ts'
import type { Move, MoveFacts } from './ports.ts'

export type FactsRequest = {
  readonly store: string
  readonly moves: readonly Move[]
  /** New refs are compared with this; null when there is nothing to compare with. */
  readonly trunk: Oid | null
}

const never = (): boolean => false

/** In the order of the moves. Throws GitError `missing` for an object that is not in the store. */
export function* factsTask(
  store: OpenStore,
  { moves, trunk }: FactsRequest,
): Task<readonly MoveFacts[]> {
  const { objects, commits: table } = store
  objects.refresh()
  const inTrunk = trunk === null ? null : store.reach(Buffer.from(trunk, 'hex'))
  const facts: MoveFacts[] = []
  for (const { old, new: to } of moves) {
    const header = objects.header(to)
    if (header === null) throw new GitError('missing', `object ${to} is missing`)
    const peeled = header.type === 'tag' ? (peelHex(objects, to)?.oid ?? null) : null
    if (header.type !== 'commit')
      facts.push({ type: header.type, peeled, commits: 0, forced: false })
    else if (old !== null && objects.header(old)?.type === 'commit') {
      const [before, after] = [table.numberOf(old), table.numberOf(to)]
      const gained = selectCommits(table, [after], [before], never).commits.length
      const lost = selectCommits(table, [before], [after], never).commits.length
      facts.push({ type: 'commit', peeled: null, commits: gained, forced: lost > 0 })
    } else {
      let commits = 0
      const start = table.numberOf(to)
      const seen = new Set([start])
      const stack = [start]
      for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
        table.load(at)
        // Asked of the first commit that is no part of it, the walk over the trunk is made once for
        // all.
        if (inTrunk?.has(at, true)) continue
        if (++commits % 1024 === 0) yield 'pause'
        for (let nth = 0; nth < table.parentCount(at); nth++) {
          const parent = table.parent(at, nth)
          if (seen.has(parent)) continue
          seen.add(parent)
          stack.push(parent)
        }
      }
      facts.push({ type: 'commit', peeled: null, commits, forced: false })
    }
    if (facts.length % 64 === 0) yield 'pause'
  }
  return facts
}
