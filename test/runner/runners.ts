/** A runner in a temporary folder, and a short way to run one command behind its walls. */
import { afterAll } from 'bun:test'
import { createRunner, type Limits, type Outcome, type RunnerOptions } from '#runner'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS, MIB } from './limits.ts'

export { LIMITS, MIB }

/** On a disk: what a command writes in memory would count as its memory. */
const DISK = process.env.HEARTH_TEST_DISK ?? tmpdir()

export async function makeRunner(change: Partial<RunnerOptions> = {}) {
  const data = mkdtempSync(join(DISK, 'hearth-runner-'))
  afterAll(() => rmSync(data, { recursive: true, force: true }))
  const directory = join(data, 'checks')
  const runner = createRunner({
    directory,
    isolation: 'required',
    network: false,
    readable: [],
    hidden: [data],
    ...change,
  })
  const isolation = await runner.isolation()
  if (isolation.kind === 'missing')
    throw new Error(
      `commands cannot be isolated here: ${isolation.reason}. These tests need it: apt-get install bubblewrap`,
    )
  let counter = 0

  return {
    runner,
    data,
    directory,
    isolation,
    /** Runs a command in a folder of its own and takes that away again. */
    async run(
      command: string,
      options: {
        limits?: Partial<Limits>
        signal?: AbortSignal
        prepare?: (build: string) => Promise<void> | void
        output?: (text: string) => void
      } = {},
    ): Promise<Outcome & { text: string; gone: boolean }> {
      const place = await runner.createDirectory(`test-${++counter}`)
      await options.prepare?.(place.build)
      await runner.handOver(place)
      const parts: Uint8Array[] = []
      const outcome = await runner.run({
        directory: place,
        command,
        limits: { ...LIMITS, ...options.limits },
        env: { CI: 'true' },
        signal: options.signal,
        output: (bytes) => {
          parts.push(bytes)
          options.output?.(Buffer.from(bytes).toString('utf8'))
        },
      })
      return {
        ...outcome,
        text: Buffer.concat(parts).toString('utf8'),
        gone: await runner.removeDirectory(place),
      }
    },
  }
}

/** Whether a process with this word in its command line is alive on this machine. */
export function isAlive(word: string): boolean {
  const found = Bun.spawnSync(['ps', '-eo', 'args'], { env: { PATH: '/usr/bin:/bin' } })
  return found.stdout
    .toString()
    .split('\n')
    .some((line) => line.includes(word) && !line.startsWith('ps '))
}

/** Whether no such process is alive; a killed one takes a moment to be gone. */
export async function hasEnded(word: string): Promise<boolean> {
  for (const end = Date.now() + 60_000; isAlive(word) && Date.now() < end; ) await Bun.sleep(50)
  return !isAlive(word)
}
