/** Pushes to a repository that refuses secrets, beside the same pushes to one that does not look. */
import { join } from 'node:path'
import { gitTo } from '../git/client.ts'
import { cpuOf } from '../git/processes.ts'
import { startHearth, type Hearth } from '../git/servers.ts'
import { commitsOf, type Round } from './scan.ts'

const POLL_MS = 100
/** Seconds of processor time between two polls, below which the forge is at rest. */
const RESTING = 0.002
/** A busy machine gives no rest, so that it ends after thirty seconds. */
const MAX_WAITS = 300
/**
 * What follows many pushes minutes later and takes seconds of processor time. It would count for
 * whichever push it meets, so a round in which one runs is left out.
 */
const LATER_JOBS = ['maintain_store', 'find_sha1_collisions', 'precompute_history']
/** Small pushes are measured more often, because what else the forge does weighs more in them. */
const ROUNDS_OF_ONE = 5
const ROUNDS_OF_TEN = 2
/** Before anything is measured, so that the code of a push is compiled. */
const WARM_PUSHES = 40

/** An even number, so that either side is as often the first. */
export const roundsOf = (size: number, rounds: number): number =>
  2 * Math.ceil((rounds * (size === 1 ? ROUNDS_OF_ONE : size <= 10 ? ROUNDS_OF_TEN : 1)) / 2)

type Rest = {
  /** Seconds of processor time since the start of the forge. */
  readonly cpu: number
  /** Whether a later job ran meanwhile. */
  readonly isDisturbed: boolean
}

/** Waits until what a push leaves for the background is done, so that it counts for this push. */
async function atRest(forge: Hearth): Promise<Rest> {
  let isDisturbed = false
  for (let [calm, waits] = [0, 0]; calm < 3 && waits < MAX_WAITS; waits++) {
    const used = cpuOf(forge.pid)
    await Bun.sleep(POLL_MS)
    const isBusy = forge.isRunning(LATER_JOBS)
    isDisturbed ||= isBusy
    calm = !isBusy && cpuOf(forge.pid) - used < RESTING ? calm + 1 : 0
  }
  return { cpu: cpuOf(forge.pid), isDisturbed }
}

/**
 * It matters which of two pushes comes first, so two rounds in both orders count as one, unless one of
 * them was left out.
 */
const pairsOf = (rounds: readonly (Round | null)[]): Round[] =>
  rounds.flatMap((first, at) => {
    const second = rounds[at + 1]
    return at % 2 === 1 || !first || !second
      ? []
      : [{ ours: (first.ours + second.ours) / 2, other: (first.other + second.other) / 2 }]
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
    /** Milliseconds of processor time; null when a later job ran. */
    const push = async (to: string, commit: string): Promise<number | null> => {
      const before = await atRest(forge)
      await gitTo(forge, '-C', repo, 'push', '-q', forge.address(to), `${commit}:refs/heads/main`)
      const after = await atRest(forge)
      return after.isDisturbed ? null : (after.cpu - before.cpu) * 1000
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
      const measured: (Round | null)[] = []
      // The first round compiles the expressions.
      for (let round = -1; round < roundsOf(size, rounds); round++) {
        from -= size
        const commit = commits[from] ?? ''
        const order = round % 2 === 0 ? [scanned, plain] : [plain, scanned]
        const used = new Map<string, number | null>()
        for (const one of order) used.set(one, await push(one, commit))
        const [ours = null, other = null] = [used.get(scanned), used.get(plain)]
        if (round >= 0) measured.push(ours === null || other === null ? null : { ours, other })
      }
      results.push({ size, rounds: pairsOf(measured) })
    }
    return results
  } finally {
    await forge.stop()
  }
}
