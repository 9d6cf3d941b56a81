/** Pushes thousands of hostile packs at the engine: changed real ones, bombs, circles, lies. Prints how it refused them, and what went wrong. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeHistory } from '../test/git/support/history.ts'
import { startHost } from '../test/git/support/host.ts'
import { discard, git, scratch } from '../test/git/support/real-git.ts'
import { torment } from '../test/git/support/torment.ts'
import { runScript, type Option } from './run/options.ts'

const OPTIONS = {
  count: { kind: 'count', default: '5000', help: 'Packs.' },
  seed: { kind: 'count', default: '', help: 'The first pack\'s number.' },
  commits: { kind: 'count', default: '40', help: 'Commits in the pack that is changed.' },
} as const satisfies Record<string, Option>

await runScript('bun scripts/git-torment.ts [options]', OPTIONS, async (options) => {
  const seed = options.seed === '' ? Math.floor(Math.random() * 100_000_000) : Number(options.seed)
  const directory = scratch()
  const host = await startHost({ maxObjectBytes: 64 << 20, maxPackBytes: 64 << 20, memoryBudget: 128 << 20 })
  process.stdout.write(`seed ${seed}\n`)
  try {
    const source = await makeHistory(directory, 'source', { seed, commits: Number(options.commits), files: 12, tags: false, merges: false })
    const name = readdirSync(join(source, 'objects', 'pack')).find((one) => one.endsWith('.pack')) ?? ''
    const real = { pack: Buffer.from(await Bun.file(join(source, 'objects', 'pack', name)).bytes()), tip: await git(source, 'rev-parse', 'main') }
    const { refused, taken, reasons, growth, problems } = await torment(host, real, seed, Number(options.count))
    for (const [reason, count] of [...reasons].sort(([, a], [, b]) => b - a)) process.stdout.write(`${String(count).padStart(7)}  ${reason}\n`)
    process.stdout.write(`${refused} refused, ${taken} taken because they were sound; grew by ${Math.round(growth / 2 ** 20)} MB at most; ${problems.length} problems\n`)
    for (const problem of problems) process.stdout.write(`  ${problem}\n`)
    return problems.length === 0 ? 0 : 1
  } finally {
    await host.close()
    discard(directory)
  }
})
