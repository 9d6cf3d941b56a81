/**
 * Everything that must hold before a change lands: tidy, types, tests. `--quick` leaves out the
 * journeys.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const quick = process.argv.includes('--quick')

async function step(name: string, command: string[]): Promise<void> {
  process.stdout.write(`\n— ${name}\n`)
  const status = await Bun.spawn(command, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
    .exited
  if (status !== 0) {
    process.stdout.write(`\n${name} failed\n`)
    process.exit(status)
  }
}

const compiler = join(root, 'node_modules/typescript/bin/tsc')
await step('tidy', [process.execPath, 'scripts/tidy.ts'])
await step(
  'types',
  existsSync(compiler)
    ? ['node', compiler, '--noEmit', '-p', '.']
    : [process.execPath, 'x', 'tsc', '--noEmit', '-p', '.'],
)
// A small machine under load is slow: only a test that hangs is to be ended.
const tests = [process.execPath, 'test', '--timeout=120000']
// Files share what a worker has loaded: loading the forge anew for each takes longer than most of
// their tests.
const rooms = [...tests, '--parallel', '--no-isolate', '--path-ignore-patterns=test/journeys/**']
if (quick) await step('tests', rooms)
else {
  await step('build', [process.execPath, 'scripts/build.ts'])
  await step('tests', rooms)
  // Journeys start whole forges and browsers, and wait for them: two at once is enough.
  await step('journeys', [...tests, '--parallel=2', 'test/journeys'])
}
