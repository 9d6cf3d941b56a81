/** Pushes to a repository that refuses secrets, beside the same pushes to one that does not look. */
import { join } from 'node:path'
import { gitTo } from '../git/client.ts'
import { cpuOf } from '../git/processes.ts'
import { startHearth, type Hearth } from '../git/servers.ts'
import { commitsOf, type Round } from './scan.ts'

const POLL_MS = 100
/** Seconds of processor time between two polls, below which the forge is at rest. */
const RESTING = 0.002
/** A busy machine gives no rest, so that it ends after ten seconds. */
const MAX_WAITS = 100
/** Small pushes are measured more often, because what else the forge does weighs more in them. */
const ROUNDS_OF_ONE = 5
const ROUNDS_OF_TEN = 2
/** Before anything is measured, so that the code of a push is compiled. */
const WARM_PUSHES = 40

/** An even number, so that either side is as often the first. */
export const roundsOf = (size: number, rounds: number): number =>
  2 * Math.ceil((rounds * (size === 1 ? ROUNDS_OF_ONE : size <= 10 ? ROUNDS_OF_TEN : 1)) / 2)

/** Waits until what a push leaves for the background is done, so that it counts for this push. */
async function atRest(forge: Hearth): Promise<number> {
  for (let [calm, waits] = [0, 0]; calm < 3 && waits < MAX_WAITS; waits++) {
    const used = cpuOf(forge.pid)
    await Bun.sleep(POLL_MS)
    calm = cpuOf(forge.pid) - used < RESTING ? calm + 1 : 0
  }
  return cpuOf(forge.pid)
}

/** It matters which of two pushes comes first, so two rounds in both orders count as one. */
const pairsOf = (rounds: readonly Round[]): Round[] =>
  rounds.flatMap((first, at) => {
    const second = rounds[at + 1]
    return at % 2 === 1 || second === undefined
      ? []
      : { ours: (first.ours + second.ours) / 2, other: (first.other + second.other) / 2 }
  })

export type PushesOfSize = { readonly size: number; readonly rounds: readonly Round[] }

export async function comparePushes(
  repo: string,
  options: {
    readonly executable: string
    readonly rounds: number
    readonly scratch: string
    readonly name: string
    readonly sizes: readonly number[]
  },
): Promise<PushesOfSize[]> {
  const { name, sizes, rounds } = options
  const total =
    WARM_PUSHES + sizes.reduce((sum, size) => sum + size * (roundsOf(size, rounds) + 1), 0)
  const commits = await commitsOf(repo, total + 1)
  const forge = await startHearth(options.executable, join(options.scratch, name))
  try {
    const [scanned, plain] = [`${name}-scanned`, `${name}-plain`]
    const push = async (to: string, commit: string): Promise<number> => {
      const before = await atRest(forge)
      await gitTo(forge, '-C', repo, 'push', '-q', forge.address(to), `${commit}:refs/heads/main`)
      return ((await atRest(forge)) - before) * 1000
    }
    for (const one of [scanned, plain]) {
      await forge.create(one)
      const isScanned = one === scanned
      await forge.api('PATCH', `/repos/acme/${one}/settings`, {
        push_protection: isScanned,
        secret_scanning: isScanned,
        // The workflows of real repositories take more than everything else of a push.
        workflows_enabled: false,
      })
      await push(one, commits[total] ?? '')
    }
    const results: PushesOfSize[] = []
    let from = total
    for (let warm = 0; warm < WARM_PUSHES; warm++) {
      from--
      for (const one of [scanned, plain])
        await gitTo(
          forge,
          '-C',
          repo,
          'push',
          '-q',
          forge.address(one),
          `${commits[from]}:refs/heads/main`,
        )
    }
    for (const size of sizes) {
      const measured: Round[] = []
      // The first round compiles the expressions.
      for (let round = -1; round < roundsOf(size, rounds); round++) {
        from -= size
        const commit = commits[from] ?? ''
        const order = round % 2 === 0 ? [scanned, plain] : [plain, scanned]
        const used = new Map<string, number>()
        for (const one of order) used.set(one, await push(one, commit))
        if (round >= 0) measured.push({ ours: used.get(scanned) ?? 0, other: used.get(plain) ?? 0 })
      }
      results.push({ size, rounds: pairsOf(measured) })
    }
    return results
  } finally {
    await forge.stop()
  }
}
