/**
 * Everything that must hold before a change lands: `npm test`. `--quick` leaves out the build and
 * the journeys, which start whole forges and browsers; `--static` leaves out all tests.
 */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { cpus, freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { requireTestTools } from './test-tools.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const isQuick = process.argv.includes('--quick')
const isStatic = process.argv.includes('--static')
const bun = process.execPath
const tool = (path: string): string => join(root, 'node_modules', path)

const GIB = 2 ** 30
/** What the tests keep in files at once is below a tenth of this. */
const MIN_FREE_IN_MEMORY = 8 * GIB

/**
 * A directory for what tests write, which nothing survives. Tests write thousands of small
 * databases and repositories and wait for the disk each time, so it is in memory where the machine
 * has plenty.
 */
function makeScratch(): string {
  const inMemory = '/dev/shm'
  let parent = tmpdir()
  try {
    const { bavail, bsize } = statfsSync(inMemory)
    if (Math.min(bavail * bsize, freemem()) > MIN_FREE_IN_MEMORY) parent = inMemory
  } catch {
    // The machine has none.
  }
  const scratch = mkdtempSync(join(parent, 'hearth-check-'))
  // Some tests start programs as another account.
  chmodSync(scratch, 0o1777)
  return scratch
}

/** As `statfs` names file systems in memory (statfs(2), TMPFS_MAGIC). */
const TMPFS = 0x01021994

/**
 * Where jobs of tests write, which must be a disk: what they write to memory counts as theirs. Many
 * systems have /tmp in memory, and /var/tmp on a disk.
 */
const diskFolder = (): string => (statfsSync(tmpdir()).type === TMPFS ? '/var/tmp' : tmpdir())

const scratch = makeScratch()
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const running = new Set<Bun.Subprocess>()
process.on('exit', () => {
  for (const child of running) child.kill()
})

/** Ends the process when the command fails. One that runs beside others prints when it has ended. */
async function step(name: string, command: string[], isBeside = false): Promise<void> {
  if (!isBeside) process.stdout.write(`\n— ${name}\n`)
  const child = Bun.spawn(command, {
    cwd: root,
    env: {
      ...process.env,
      TMPDIR: scratch,
      HEARTH_TEST_DISK: diskFolder(),
      ...(!isQuick && { HEARTH_EXECUTABLE: join(root, 'dist', 'hearth') }),
    },
    stdio: ['ignore', isBeside ? 'pipe' : 'inherit', 'pipe'],
  })
  running.add(child)
  const printed = isBeside ? new Response(child.stdout).text() : null
  const failures = await passOn(child.stderr)
  if (printed !== null) process.stdout.write(`\n— ${name}\n${await printed}`)
  const status = await child.exited
  running.delete(child)
  if (status === 0) return
  process.stdout.write(`\n${[...failures, `${name} failed`].join('\n')}\n`)
  process.exit(status)
}

/** Of one failed test, so that a picture or a long diff does not push the others out of sight. */
const MAX_LINES_OF_A_FAILURE = 120

/**
 * Prints what a step says while it says it, and returns what was said of each failed test. A log
 * of CI is read from its end, where thousands of lines about tests that pass would hide them.
 */
async function passOn(stream: ReadableStream<Uint8Array>): Promise<string[]> {
  const failures: string[] = []
  const decoder = new TextDecoder()
  let file = ''
  let said: string[] = []
  let rest = ''
  for await (const bytes of stream) {
    process.stderr.write(bytes)
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (/^\S+\.test\.tsx?:$/.test(line)) file = line
      else said.push(line)
      if (line.startsWith('(fail)')) failures.push(file, ...said.slice(-MAX_LINES_OF_A_FAILURE))
      if (/^\((pass|fail|skip|todo)\)/.test(line)) said = []
    }
  }
  return failures
}

// Only the tests need the tools, and most of their installation waits for the network.
const tools = isStatic
  ? null
  : requireTestTools().catch((error: Error) => {
      process.stderr.write(`${error.message}\n`)
      process.exit(1)
    })
// The check of types takes one processor as long as the other checks and the build take another.
const types = step('types', ['node', tool('typescript/bin/tsc'), '--noEmit', '-p', '.'], true)
await step('format and lint', ['node', tool('@biomejs/biome/bin/biome'), 'ci', '.'])
await step('tidy', [bun, 'scripts/tidy.ts'])
await step('unused code', ['node', tool('knip/bin/knip.js')])
if (!isStatic && !isQuick) await step('build', [bun, 'scripts/build.ts'])
await types
if (isStatic) process.exit(0)
await tools
// A small machine under load is slow. Only a test that hangs may reach this limit.
const TEST_TIMEOUT_MS = 120_000
const tests = [bun, 'test', `--timeout=${TEST_TIMEOUT_MS}`]
// Files share what a worker has loaded: loading the forge anew for each file takes longer than
// most of their tests. One worker more than processors, because tests also wait for git and for
// servers.
await step('tests', [
  ...tests,
  `--parallel=${cpus().length + 1}`,
  '--no-isolate',
  '--path-ignore-patterns=test/journeys/**',
])
// Journeys start whole forges and browsers, and wait for both: one worker more than processors.
if (!isQuick) await step('journeys', [...tests, `--parallel=${cpus().length + 1}`, 'test/journeys'])
