/** Pushes to a repository that refuses secrets, beside the same pushes to one that does not look. */
import { join } from 'node:path'
import { gitTo } from '../git/client.ts'
import { cpuOf } from '../git/processes.ts'
import { startHearth, type Hearth } from '../git/servers.ts'
import { commitsOf, type Round } from './scan.ts'

/** Seconds of processor time, in a fifth of a second, below which the forge is at rest. */
const RESTING = 0.005
/** A busy machine gives no rest, so that it ends after ten seconds. */
const MAX_WAITS = 50

/** Waits until what a push leaves for the background is done, so that it counts for this push. */
async function atRest(forge: Hearth): Promise<number> {
  for (let [calm, waits] = [0, 0]; calm < 3 && waits < MAX_WAITS; waits++) {
    const used = cpuOf(forge.pid)
    await Bun.sleep(200)
    calm = cpuOf(forge.pid) - used < RESTING ? calm + 1 : 0
  }
  return cpuOf(forge.pid)
}

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
  const total = (rounds + 1) * sizes.reduce((sum, size) => sum + size, 0)
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
    for (const size of sizes) {
      const measured: Round[] = []
      // The first round compiles the expressions.
      for (let round = -1; round < rounds; round++) {
        from -= size
        const commit = commits[from] ?? ''
        const order = round % 2 === 0 ? [scanned, plain] : [plain, scanned]
        const used = new Map<string, number>()
        for (const one of order) used.set(one, await push(one, commit))
        if (round >= 0) measured.push({ ours: used.get(scanned) ?? 0, other: used.get(plain) ?? 0 })
      }
      results.push({ size, rounds: measured })
    }
    return results
  } finally {
    await forge.stop()
  }
}
