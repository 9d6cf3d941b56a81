/**
 * Indexing a pack with two workers, with all checks of a push, beside `git index-pack` with two
 * threads.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from '../forge/wrk.ts'
import type { Result, Taken } from './race.ts'
import { isSmall, type Repository } from './repositories.ts'

/** git's whole process. */
async function timed(command: string[]): Promise<Taken> {
  const began = performance.now()
  const child = Bun.spawn(command, { stdio: ['ignore', 'ignore', 'inherit'] })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
  const wall = (performance.now() - began) / 1000
  return { wall, cpu: Number(child.resourceUsage()?.cpuTime.total ?? 0n) / 1e6 }
}

/**
 * Ours inside of its process, which serves for long where git starts one for each push; small packs
 * come to warm threads.
 */
async function timedHere(pack: string, index: string, size: number): Promise<Taken> {
  const command = [
    process.execPath,
    fileURLToPath(new URL('index-one.ts', import.meta.url)),
    pack,
    index,
    String(isSmall(size) ? 3 : 0),
  ]
  const child = Bun.spawn(command, { stdio: ['ignore', 'pipe', 'inherit'] })
  const said = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
  return JSON.parse(said) as Taken
}

/** Throws when the two indexes differ in a single byte. */
export async function raceIndexing(
  repository: Repository,
  directory: string,
  rounds: number,
): Promise<Result> {
  const packs = join(repository.path, 'objects', 'pack')
  const pack = join(packs, readdirSync(packs).find((name) => name.endsWith('.pack')) ?? '')
  const taken: [Taken[], Taken[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    mkdirSync(directory, { recursive: true })
    const [ours, theirs] = [join(directory, 'ours.idx'), join(directory, 'theirs.idx')]
    taken[0].push(await timedHere(pack, ours, repository.bytes))
    taken[1].push(await timed(['git', 'index-pack', '--threads=2', '-o', theirs, pack]))
    if (Buffer.compare(readFileSync(ours), readFileSync(theirs)) !== 0)
      throw new Error('the two indexes differ')
    rmSync(directory, { recursive: true })
  }
  const middle = (all: readonly Taken[]): Taken => ({
    wall: median(all.map(({ wall }) => wall)),
    cpu: median(all.map(({ cpu }) => cpu)),
  })
  return {
    scenario: 'index of the pack, 2 threads',
    repository: repository.name,
    hearth: middle(taken[0]),
    git: middle(taken[1]),
    memory: null,
  }
}
