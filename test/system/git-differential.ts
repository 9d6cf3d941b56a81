/**
 * Holds the engine against `git http-backend` on random repositories: the same refs in, the same
 * objects out, for every protocol version, depth and filter. Prints each difference with the seed
 * that makes it again (`--seed N
 * --count 1`).
 */
import { discard, scratch } from '../git/support/real-git.ts'
import { startBackend } from '../git/support/backend.ts'
import { Differential } from '../git/support/differential.ts'
import { startHost } from '../git/support/host.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  count: { kind: 'count', default: '1000', help: 'Random repositories.' },
  each: { kind: 'count', default: '3', help: 'Conversations with each.' },
  seed: {
    kind: 'count',
    default: '',
    help: "The first repository's number; the others follow it.",
  },
  'at-once': { kind: 'count', default: '2', help: 'Repositories at once.' },
} as const satisfies Record<string, Option>

await runScript('bun test/system/git-differential.ts [options]', OPTIONS, async (options) => {
  const first = options.seed === '' ? Math.floor(Math.random() * 100_000_000) : Number(options.seed)
  const count = Number(options.count)
  const directory = scratch()
  const host = await startHost()
  const backend = startBackend(directory)
  const differential = new Differential(host, backend, directory)
  process.stdout.write(`seed ${first}\n`)
  let [next, done, wrong] = [0, 0, 0]
  const work = async (): Promise<void> => {
    while (next < count) {
      const seed = first + next++
      const found = await differential
        .run(seed, Number(options.each))
        .catch((error: unknown) => [{ seed, scenario: 'itself', steps: '', what: String(error) }])
      done++
      wrong += found.length
      for (const one of found)
        process.stdout.write(`seed ${one.seed}: ${one.scenario}: ${one.what}\n  ${one.steps}\n`)
      if (done % 100 === 0)
        process.stdout.write(`${done} of ${count} repositories, ${wrong} differences\n`)
    }
  }
  try {
    await Promise.all(Array.from({ length: Number(options['at-once']) }, work))
  } finally {
    await backend.close()
    await host.close()
    discard(directory)
  }
  const conversations = [...differential.counts.values()].reduce((sum, one) => sum + one, 0)
  process.stdout.write(
    `${done} repositories, ${conversations} conversations of ${differential.counts.size} kinds, ${wrong} differences; git failed ${differential.gitFailed} times with its own server alone\n`,
  )
  return wrong === 0 ? 0 : 1
})
