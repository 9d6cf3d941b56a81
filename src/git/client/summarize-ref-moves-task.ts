/** Describes many moves of refs at once: moves that share history share one walk. */
import { GitError, type Oid } from '../ports.ts'
import type { OpenStore } from '../tasks/open-store.ts'
import type { Task } from '../tasks/task.ts'
import { peelHex } from '../walk/peel.ts'
import { selectCommits } from '../walk/select-commits.ts'
import type { RefMove, RefMoveSummary } from './ports.ts'

export type SummarizeRefMovesRequest = {
  readonly store: string
  readonly moves: readonly RefMove[]
  /** New refs are compared with this commit; null when there is none. */
  readonly trunk: Oid | null
}

const never = (): boolean => false

/** In the order of the moves. Throws GitError `missing` for an unknown object. */
export function* summarizeRefMovesTask(
  store: OpenStore,
  { moves, trunk }: SummarizeRefMovesRequest,
): Task<readonly RefMoveSummary[]> {
  const { objects, commits: table } = store
  objects.refresh()
  const inTrunk = trunk === null ? null : store.reach(Buffer.from(trunk, 'hex'))
  const facts: RefMoveSummary[] = []
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
        // With a commit that the trunk does not reach, the trunk is walked once for all moves.
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
