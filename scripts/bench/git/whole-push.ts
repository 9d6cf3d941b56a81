/** Pushes of whole repositories into empty ones, beside git's server behind Apache. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../forge/wrk.ts'
import { gitTo } from './client.ts'
import { cpuOf } from './processes.ts'
import type { Result, Taken } from './race.ts'
import { isSmall, type Repository } from './repositories.ts'
import { startGit, startHearth, type Server } from './servers.ts'

async function pushTo(server: Server, { path }: Repository, name: string): Promise<Taken> {
  await server.create(name)
  const used = cpuOf(server.pid)
  const began = performance.now()
  await gitTo(server, '-C', path, 'push', '-q', '--mirror', server.address(name))
  return { wall: (performance.now() - began) / 1000, cpu: cpuOf(server.pid) - used }
}

/** A small push comes to a server that has been pushed to so often. */
const WARM_PUSHES = 5

/**
 * Each push has a forge of its own: what one does in the background after a push would count for
 * the next.
 */
export async function raceWholePush(
  executable: string,
  repository: Repository,
  directory: string,
  rounds: number,
): Promise<Result> {
  const taken: [Taken[], Taken[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const place = join(directory, String(round))
    for (const side of [0, 1] as const) {
      const server =
        side === 0
          ? await startHearth(executable, join(place, 'hearth'))
          : await startGit('apache', join(place, 'root'), join(place, 'apache'))
      try {
        for (let before = isSmall(repository.bytes) ? WARM_PUSHES : 0; before > 0; before--)
          await pushTo(server, repository, `before-${before}`)
        taken[side].push(await pushTo(server, repository, 'whole'))
      } finally {
        await server.stop()
      }
      rmSync(place, { recursive: true, force: true })
    }
  }
  const middle = (all: readonly Taken[]): Taken => ({
    wall: median(all.map(({ wall }) => wall)),
    cpu: median(all.map(({ cpu }) => cpu)),
  })
  return {
    scenario: 'push of everything',
    repository: repository.name,
    hearth: middle(taken[0]),
    git: middle(taken[1]),
    memory: null,
  }
}
