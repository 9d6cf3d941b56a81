/**
 * Pushes thousands of hostile packs at the engine: changed real ones, bombs, circles, lies. Prints
 * how it refused them, and what went wrong. With `--corpus` the packs are what the fuzzers of other
 * projects have found (libgit2's `fuzzers/corpora`), as they are and changed further; commit-graphs
 * of such a corpus are read as well.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytesToOid } from '../../src/git/object.ts'
import { GitError } from '../../src/git/ports.ts'
import { CommitGraph } from '../../src/git/store/commit-graph.ts'
import { makeHistory, random } from '../git/support/history.ts'
import { startHost } from '../git/support/host.ts'
import { discard, git, scratch } from '../git/support/real-git.ts'
import { changed, hostile, sealed, type Hostile } from '../git/support/mutate.ts'
import { torment } from '../git/support/torment.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  count: { kind: 'count', default: '5000', help: 'Packs.' },
  seed: { kind: 'count', default: '', help: "The first pack's number." },
  corpus: {
    kind: 'text',
    default: '',
    help: "A directory with packfile and commit_graph, as in libgit2's fuzzers/corpora.",
  },
  commits: { kind: 'count', default: '40', help: 'Commits in the pack that is changed.' },
} as const satisfies Record<string, Option>

/**
 * The files of a corpus in their order, each as it is (its first byte is a sign for the fuzzer),
 * with a right checksum, and then changed.
 */
function fromCorpus(directory: string, seed: number): (at: number) => Hostile {
  const files = readdirSync(directory).sort()
  return (at) => {
    const [file = '', round] = [
      files[(at - seed) % files.length],
      Math.floor((at - seed) / files.length),
    ]
    const bytes = readFileSync(join(directory, file)).subarray(1)
    const pack =
      round === 0
        ? bytes
        : round === 1
          ? sealed(Buffer.concat([bytes, Buffer.alloc(20)]))
          : changed(sealed(Buffer.concat([bytes, Buffer.alloc(20)])), random(at))
    return { what: `${file}, round ${round}`, pack, tip: '1'.repeat(40) }
  }
}

/** Nothing that is so small takes so long, however busy the machine. */
const SLOW_MS = 10_000
const GRAPHS_OF_A_FILE = 20

/**
 * Reads all of each commit-graph, with a right checksum, as it is and changed; gives what was no
 * clear answer.
 */
function readGraphs(directory: string, seed: number): string[] {
  const problems: string[] = []
  let [read, refused] = [0, 0]
  for (const file of readdirSync(directory).sort()) {
    const whole = readFileSync(join(directory, file))
    // Before the signature stand signs for the fuzzer.
    const bytes = whole.subarray(Math.max(0, whole.indexOf('CGPH')))
    for (let at = 0; at < GRAPHS_OF_A_FILE; at++) {
      const next = random(seed + at)
      // Some bring their checksum, some have none.
      const graph = Buffer.concat([bytes, Buffer.alloc(at % 2 === 0 ? 20 : 0)])
      for (let i = at >> 1; i > 0; i--)
        graph[Math.floor(next() * graph.length)] = Math.floor(next() * 256)
      const began = performance.now()
      try {
        const made = new CommitGraph(sealed(graph))
        for (let position = 0; position < made.count; position++)
          made.find(bytesToOid(made.raw, made.oidAt(position)))
        read++
      } catch (error) {
        if (error instanceof GitError) refused++
        else problems.push(`${file}, change ${at}: ${String(error)}`)
      }
      if (performance.now() - began > SLOW_MS)
        problems.push(`${file}, change ${at}: it took ${Math.round(performance.now() - began)} ms`)
    }
  }
  process.stdout.write(`${read} commit-graphs were read, ${refused} refused\n`)
  return problems
}

await runScript('bun test/system/git-torment.ts [options]', OPTIONS, async (options) => {
  const seed = options.seed === '' ? Math.floor(Math.random() * 100_000_000) : Number(options.seed)
  const directory = scratch()
  const host = await startHost({
    maxObjectBytes: 64 << 20,
    maxPackBytes: 64 << 20,
    memoryBudget: 128 << 20,
  })
  process.stdout.write(`seed ${seed}\n`)
  try {
    const source = await makeHistory(directory, 'source', {
      seed,
      commits: Number(options.commits),
      files: 12,
      tags: false,
      merges: false,
    })
    const name =
      readdirSync(join(source, 'objects', 'pack')).find((one) => one.endsWith('.pack')) ?? ''
    const real = {
      pack: Buffer.from(await Bun.file(join(source, 'objects', 'pack', name)).bytes()),
      tip: await git(source, 'rev-parse', 'main'),
    }
    const make =
      options.corpus === ''
        ? (at: number) => hostile(real, random(at))
        : fromCorpus(join(options.corpus, 'packfile'), seed)
    const { refused, taken, reasons, growth, problems } = await torment(
      host,
      make,
      seed,
      Number(options.count),
    )
    const found = [...problems]
    if (options.corpus !== '') found.push(...readGraphs(join(options.corpus, 'commit_graph'), seed))
    for (const [reason, count] of [...reasons].sort(([, a], [, b]) => b - a))
      process.stdout.write(`${String(count).padStart(7)}  ${reason}\n`)
    process.stdout.write(
      `${refused} refused, ${taken} taken because they were sound; grew by ${Math.round(growth / 2 ** 20)} MB at most; ${found.length} problems\n`,
    )
    for (const problem of found) process.stdout.write(`  ${problem}\n`)
    return found.length === 0 ? 0 : 1
  } finally {
    await host.close()
    discard(directory)
  }
})
