/**
 * Registries of the built executable beside docker-registry and Verdaccio: processor time of the
 * server and waiting, as ratios of one run in turns; memory during the push of a large layer; and
 * how small answers fare beside a push.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { EXECUTABLE, requireBuilt, ROOT } from '../support/forge.ts'
import { runScript, type Option } from '../support/options.ts'
import { residentOf, watchMemory } from './git/processes.ts'
import { writeGuide } from './git/report.ts'
import { costOfFloor } from './packages/floor.ts'
import {
  makeLayer,
  makeSparseLayer,
  pull,
  pushByPatch,
  pushByPut,
  pushSmallImage,
  type Layer,
} from './packages/images.ts'
import { costOf, describeRace, median, medianCost, race, type Cost } from './packages/measure.ts'
import { publish, publishVersions, readPackument, writeVersions } from './packages/npm.ts'
import {
  startBareServer,
  startDockerRegistry,
  startHearth,
  startVerdaccio,
  type Registry,
} from './packages/servers.ts'

const PARTS = ['memory', 'neighbours', 'images', 'npm'] as const
type Part = (typeof PARTS)[number]

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  only: { kind: 'text', default: '', help: `One of ${PARTS.join(', ')}; all unless given.` },
  tools: { kind: 'text', default: '', help: 'Where `npm install verdaccio` ran.' },
  layer: { kind: 'count', default: '1024', help: 'MiB of the layer that both get.' },
  large: { kind: 'count', default: '10240', help: 'MiB of the layer for the memory.' },
  versions: { kind: 'count', default: '1000', help: 'Versions of the large packument.' },
  packages: { kind: 'count', default: '100', help: 'Packages that are published one by one.' },
  rounds: { kind: 'count', default: '3', help: 'Rounds of each race.' },
  'write-guide': { kind: 'flag', default: '', help: 'Writes the rows into the guide.' },
} as const satisfies Record<string, Option>

const MIB = 1024 ** 2
const SMALL_PULLS = 200
const lines: string[] = []

function row(what: string, goal: string, seen: string): void {
  lines.push(`| ${what} | ${seen} |`)
  process.stdout.write(`${what}: ${seen}   (goal ${goal})\n`)
}

/**
 * Both and a bare server in turns. Nearly all of a pull is `sendfile` in the kernel, whose cost differs
 * by half from one pull to the next: it also wakes the reader and does its part of TCP. A pull before
 * the measured one brings the file into the page cache, which so many layers do not fit into.
 */
async function racePulls(
  [ours, theirs]: readonly [Registry, Registry],
  layers: readonly Layer[],
  directory: string,
  megabytes: number,
): Promise<void> {
  const bare = await startBareServer(directory)
  const costs = new Map<Registry, Cost[]>([ours, theirs, bare].map((registry) => [registry, []]))
  try {
    for (const { digest, path } of layers)
      for (const [registry, seen] of costs) {
        const target = registry === bare ? basename(path) : `put/blobs/${digest}`
        await pull(registry, target)
        seen.push(await costOf(registry, () => pull(registry, target)))
      }
  } finally {
    await bare.stop()
  }
  const [own, peer, floor] = [...costs.values()].map(medianCost)
  if (!own || !peer || !floor) return
  row(`Pull of ${megabytes} MiB`, '0.4', describeRace([own, peer]))
  row(
    `${megabytes} MiB from a bare server`,
    'the floor of the row above',
    describeRace([floor, peer]),
  )
}

async function raceImages(
  both: readonly [Registry, Registry],
  directory: string,
  { megabytes, rounds }: { megabytes: number; rounds: number },
): Promise<void> {
  const size = megabytes * MIB
  const layers: Layer[] = []
  for (let salt = 0; salt < rounds * 2; salt++)
    layers.push(await makeLayer(join(directory, `layer-${salt}`), size, salt))
  const at = (index: number): Layer => layers[index] as Layer
  const put = await race(both, rounds, (to, round) => pushByPut(to, 'put', at(round)))
  row(`Push of ${megabytes} MiB in one PUT`, '0.6', describeRace(put))
  const patch = await race(both, rounds, (to, round) =>
    pushByPatch(to, 'patch', at(rounds + round)),
  )
  row(`Push of ${megabytes} MiB by PATCH`, '1.0', describeRace(patch))
  await racePulls(both, layers.slice(0, rounds), directory, megabytes)
  const paths = await pushSmallImage(both[0], 'small')
  await pushSmallImage(both[1], 'small')
  const small = await race(both, rounds, (from) =>
    Promise.all(
      Array.from({ length: SMALL_PULLS }, async () => {
        for (const path of paths) await pull(from, path)
      }),
    ),
  )
  row(`${SMALL_PULLS} small images pulled at once`, '0.1', describeRace(small))
}

async function raceNpm(
  both: readonly [Registry, Registry],
  counts: { versions: number; packages: number; rounds: number },
): Promise<void> {
  const [ours, theirs] = both
  await publishVersions(ours, 'many', counts.versions)
  await writeVersions(theirs, 'many', counts.versions)
  const times = new Map([
    [ours, 2000],
    [theirs, 10],
  ])
  const each: { cpu: number; wall: number }[] = []
  for (const registry of both) {
    const count = times.get(registry) ?? 1
    await readPackument(registry, 'many', 2)
    const cost = await costOf(registry, () => readPackument(registry, 'many', count))
    each.push({ cpu: cost.cpu / count, wall: cost.wall / count })
  }
  const [a, b] = each
  if (a && b) row(`Packument of ${counts.versions} versions, gzip`, '0.002', describeRace([a, b]))
  const published = await race(both, 1, async (to) => {
    for (let at = 0; at < counts.packages; at++) await publish(to, `package-${at}`)
  })
  row(`${counts.packages} packages published one by one`, '0.05', describeRace(published))
  const floor = await costOfFloor(join(ours.directory, 'floor'), counts.packages)
  row(
    `${counts.packages} files and rows alone, each on disk`,
    'the floor of the row above',
    describeRace([floor, published[1]]),
  )
}

/** The most memory above that before, in MiB. */
async function addedMemory(registry: Registry, work: () => Promise<unknown>): Promise<string> {
  const before = residentOf(registry.pid)
  const end = watchMemory(registry.pid)
  await work()
  return `${(end() - before).toFixed(0)} MiB more than ${before.toFixed(0)} MiB | `
}

async function measureMemory(ours: Registry, directory: string, megabytes: number): Promise<void> {
  const layer = await makeSparseLayer(join(directory, 'large'), megabytes * MIB)
  const large = await addedMemory(ours, () => pushByPut(ours, 'large', layer))
  row(`Memory while ${megabytes} MiB are pushed`, 'below 100 MiB more', large)
  const npm = await addedMemory(ours, () => publish(ours, 'huge', '1.0.0', 200 * MIB))
  row('Memory while 200 MiB are published to npm', 'below 50 MiB more', npm)
}

const READERS = 4
const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN

/** Milliseconds of small answers for as long as something runs. */
async function timesDuring(ours: Registry, work: Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  let isOver = false
  const over = work.finally(() => (isOver = true))
  const url = new URL('/api/version', ours.npm).href
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      while (!isOver) {
        const began = performance.now()
        await (await fetch(url)).text()
        times.push(performance.now() - began)
      }
    }),
  )
  await over
  return times
}

async function measureNeighbours(ours: Registry, directory: string, megabytes: number) {
  const ratios: string[] = []
  const values: number[] = []
  for (let round = 0; round < 3; round++) {
    const layer = await makeLayer(join(directory, 'beside'), megabytes * MIB, 100 + round)
    const quiet = p99(await timesDuring(ours, Bun.sleep(3000)))
    const busy = p99(await timesDuring(ours, pushByPut(ours, 'beside', layer)))
    ratios.push(`${quiet.toFixed(1)} to ${busy.toFixed(1)} ms`)
    values.push(busy / quiet)
  }
  const seen = `${median(values).toFixed(1)} times (${ratios.join(', ')})`
  row(`p99 of small answers beside a push of ${megabytes} MiB`, 'below 10 times', `${seen} | `)
}

const HEAD = '| | Processor time, or what was measured | Waiting |\n| --- | --- | --- |'

/** What a row measures, whatever the sizes. */
const subjectOf = (line: string): string => (line.split('|')[1] ?? '').replaceAll(/\d+/g, '').trim()

/** The rows of the guide, in their order, with those of this run in their places. */
function mergedRows(): string[] {
  const page = readFileSync(join(ROOT, 'assets/docs/performance.md'), 'utf8')
  const [, table = ''] =
    /<!-- bench-packages -->([\s\S]*)<!-- \/bench-packages -->/.exec(page) ?? []
  const rows = table.trim().split('\n').slice(2)
  const fresh = new Map(lines.map((line) => [subjectOf(line), line]))
  const merged = rows.map((line) => fresh.get(subjectOf(line)) ?? line)
  const known = new Set(rows.map(subjectOf))
  return [...merged, ...lines.filter((line) => !known.has(subjectOf(line)))]
}

await runScript('bun scripts/bench/packages.ts [options]', OPTIONS, async (options) => {
  if (options.only !== '' && !PARTS.some((part) => part === options.only))
    throw new Error(`--only takes one of ${PARTS.join(', ')}`)
  const runs = (part: Part): boolean => options.only === '' || options.only === part
  const directory = mkdtempSync(join(tmpdir(), 'bench-packages-'))
  const rounds = Number(options.rounds)
  const megabytes = Number(options.layer)
  const running: Registry[] = []
  const startPeer = async (name: string, starting: Promise<Registry | null>) => {
    const peer = await starting
    if (peer) running.push(peer)
    else process.stdout.write(`${name} is not here: its rows are left out\n`)
    return peer
  }
  try {
    const ours = await startHearth(requireBuilt(options.executable), join(directory, 'hearth'))
    running.push(ours)
    if (runs('memory')) await measureMemory(ours, directory, Number(options.large))
    if (runs('neighbours')) await measureNeighbours(ours, directory, megabytes)
    if (runs('images')) {
      const peer = startDockerRegistry(join(directory, 'docker'))
      const docker = await startPeer('docker-registry', peer)
      if (docker) await raceImages([ours, docker], directory, { megabytes, rounds })
    }
    if (runs('npm')) {
      const peer = startVerdaccio(options.tools, join(directory, 'verdaccio'))
      const verdaccio = await startPeer('Verdaccio', peer)
      const counts = { versions: Number(options.versions), packages: Number(options.packages) }
      if (verdaccio) await raceNpm([ours, verdaccio], { ...counts, rounds })
    }
  } finally {
    for (const registry of running) await registry.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  process.stdout.write(`\n${[HEAD, ...lines].join('\n')}\n`)
  if (options['write-guide']) writeGuide([HEAD, ...mergedRows()].join('\n'), 'bench-packages')
  return 0
})
