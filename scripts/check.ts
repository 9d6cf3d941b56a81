/**
 * Everything that must hold before a change lands: `npm test`. `--quick` leaves out the build and
 * the journeys, which start whole forges and browsers.
 */
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { requireTestTools } from './test-tools.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const isQuick = process.argv.includes('--quick')
const bun = process.execPath
const tool = (path: string): string => join(root, 'node_modules', path)

async function step(name: string, command: string[]): Promise<void> {
  process.stdout.write(`\n— ${name}\n`)
  const status = await Bun.spawn(command, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  }).exited
  if (status === 0) return
  process.stdout.write(`\n${name} failed\n`)
  process.exit(status)
}

await requireTestTools().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
await step('format and lint', ['node', tool('@biomejs/biome/bin/biome'), 'ci', '.'])
await step('tidy', [bun, 'scripts/tidy.ts'])
await step('unused code', ['node', tool('knip/bin/knip.js')])
await step('types', ['node', tool('typescript/bin/tsc'), '--noEmit', '-p', '.'])
if (!isQuick) await step('build', [bun, 'scripts/build.ts'])
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
// Journeys start whole forges and browsers, and wait for them: two at once is enough.
if (!isQuick) await step('journeys', [...tests, '--parallel=2', 'test/journeys'])
