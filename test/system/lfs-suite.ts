/**
 * git-lfs' own cases against the built executable: its test of servers (`git-lfs-test-server-api`),
 * and the shell cases of its client, whose server is replaced by the forge. Cases that need what
 * only git-lfs' server does are listed with the reason.
 * `bun test/system/lfs-suite.ts [--source FOLDER] [--cases t-push,t-fetch]`
 */
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXECUTABLE, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { withToken } from '../../scripts/support/git.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { CASES, EXPLAINED } from './lfs-suite/cases.ts'
import { LEAD, openDoor, type Door } from './lfs-suite/door.ts'
import { seedPeople } from './simulate/seed.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  source: { kind: 'text', default: '', help: 'A built copy of its source; else it is fetched.' },
  cases: { kind: 'text', default: CASES.join(','), help: 'Which files of shell cases.' },
} as const satisfies Record<string, Option>

const VERSION = 'v3.8.1'
const MODULE = 'github.com/git-lfs/git-lfs/v3'
const CASE_TIMEOUT_MS = 240_000

const say = (text: string): void => void process.stdout.write(`${text}\n`)

type Ran = { readonly status: number; readonly out: string }

async function run(
  cwd: string,
  command: readonly string[],
  env: Record<string, string> = {},
): Promise<Ran> {
  const child = Bun.spawn([...command], {
    cwd,
    timeout: CASE_TIMEOUT_MS,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', TMPDIR: tmpdir(), ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, error, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, out: out + error }
}

async function must(cwd: string, ...command: string[]): Promise<string> {
  const { status, out } = await run(cwd, command, { GOFLAGS: '-mod=mod' })
  if (status !== 0) throw new Error(`${command.join(' ')}: ${out.slice(-2000)}`)
  return out
}

/** A copy of git-lfs with its programs, in `root`. */
async function prepare(root: string, given: string): Promise<string> {
  const source = join(root, 'git-lfs')
  const from =
    given === ''
      ? (
          JSON.parse(
            await must(root, 'go', 'mod', 'download', '-json', `${MODULE}@${VERSION}`),
          ) as {
            Dir: string
          }
        ).Dir
      : given
  cpSync(from, source, { recursive: true })
  await must(root, 'chmod', '-R', 'u+w', source)
  const build = async (name: string, ...what: string[]): Promise<void> => {
    const target = join(source, 'bin', name)
    if (!existsSync(target)) await must(source, 'go', 'build', '-o', target, ...what)
  }
  await build('git-lfs', '.')
  await build('git-lfs-test-server-api', '-tags', 'testtools', './t/git-lfs-test-server-api')
  for (const file of new Bun.Glob('*.go').scanSync(join(source, 't', 'cmd')))
    await build(file.replace('.go', ''), '-tags', 'testtools', join('t', 'cmd', file))
  return source
}

/** Puts a program in place of git-lfs' server that starts it too, and names the door instead. */
function replaceServer(source: string, door: Door): void {
  const program = join(source, 'bin', 'lfstest-gitserver')
  const own = join(source, 'bin', 'lfstest-gitserver-own')
  if (!existsSync(own)) cpSync(program, own)
  writeFileSync(
    program,
    `#!/bin/sh
named="$LFSTEST_URL"
LFSTEST_URL="$named.own" "${own}" &
while [ ! -s "$named.own" ]; do sleep 0.05; done
curl -s -X POST --data-binary @"$named.own" ${door.url}${LEAD}
printf %s "${door.url}" > "$named"
wait
rm -f "$named"
`,
  )
  chmodSync(program, 0o755)
}

/** Runs one file of cases and gives the names of those that passed and failed. */
async function runCases(source: string, name: string) {
  rmSync(join(source, 't', 'remote'), { recursive: true, force: true })
  for (const left of ['test_count', 'test_count.lock'])
    rmSync(join(source, 't', left), { force: true })
  const { out } = await run(join(source, 't'), ['bash', `${name}.sh`], {
    LANG: 'C.UTF-8',
  })
  const traces = out.split('# -- stdout --').slice(1).map(lastCommands)
  const lines = [...out.matchAll(/^(ok|not ok) \d+ - (.*?)(?: \.\.\.)?\s*$/gm)]
  return {
    out,
    passed: lines.flatMap(([, state, test = '']) => (state === 'ok' ? [test] : [])),
    failed: lines
      .filter(([, state]) => state !== 'ok')
      .map(([, , test = ''], at) => ({ test, trace: traces[at] ?? '' })),
  }
}

const TRACED = 6

/** The last commands of a case that failed, as its shell tells them. */
const lastCommands = (dump: string): string =>
  (dump.split('# -- git trace --')[0] ?? '')
    .split('\n')
    .flatMap((line) => /^# {5}(\+ .*)$/.exec(line)?.[1] ?? [])
    .filter((command) => !command.startsWith('+ test_status='))
    .slice(-TRACED)
    .join('\n')

if (import.meta.main)
  await runScript('bun test/system/lfs-suite.ts [options]', OPTIONS, async (options) => {
    const root = mkdtempSync(join(tmpdir(), 'hearth-lfs-suite-'))
    const data = join(root, 'data')
    const tokens = await seedPeople(data, 'acme', ['ada', 'bob'])
    const [token = '', other = ''] = ['ada', 'bob'].map((name) => tokens.get(name))
    const forge = await startForge({
      executable: requireBuilt(options.executable),
      data,
      log: join(root, 'log'),
    })
    const create = async (name: string): Promise<void> => {
      const answer = await fetch(`${forge.url}/api/v1/repos`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ workspace: 'acme', name, private: true }),
      })
      if (!answer.ok) say(`the repository ${name} was not made: ${await answer.text()}`)
    }
    const door = openDoor({ url: forge.url, token, other, create })
    let unexplained = 0
    try {
      const source = await prepare(root, options.source)
      await create('api')
      const address = withToken(`${forge.url}/acme/api.git`, token)
      const api = await run(source, ['bin/git-lfs-test-server-api', `--clone=${address}`])
      say(api.out.trim().split('\n').slice(-14).join('\n'))
      if (api.status !== 0) unexplained++
      replaceServer(source, door)
      let passed = 0
      for (const name of options.cases.split(',')) {
        const found = await runCases(source, name)
        passed += found.passed.length
        if (found.passed.length + found.failed.length === 0) unexplained++
        say(`${name}: ${found.passed.length} pass, ${found.failed.length} fail`)
        for (const { test, trace } of found.failed) {
          const explained = EXPLAINED[`${name}: ${test}`]
          if (explained?.at.test(trace)) say(`  not here ${test}: ${explained.reason}`)
          else {
            say(`  FAIL ${test}\n${trace}`)
            unexplained++
            writeFileSync(join(root, `${name}.out`), found.out)
          }
        }
      }
      say(`${passed} cases pass, ${unexplained} failures are not explained`)
    } finally {
      await forge.stop()
      await door.close()
      if (unexplained === 0) rmSync(root, { recursive: true, force: true })
      else say(`everything is at ${root}`)
    }
    return unexplained === 0 ? 0 : 1
  })
