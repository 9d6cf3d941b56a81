/**
 * Runs git's own tests of HTTP twice, against `git http-backend` and against the engine, and tells
 * where they differ. Git is built from its source (https://github.com/git/git), so the newest client
 * and the newest tests are used; Apache serves, as they want it. Against the engine, a bridge stands
 * in for http-backend (`git-suite/bridge.ts`). Ends with 1 when a test differs that nobody has
 * explained, and says of each explained one whether a feature is missing.
 */
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXPLAINED } from './git-suite/explained.ts'
import { ROOT } from '../../scripts/support/forge.ts'
import { OptionError, runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  source: {
    kind: 'text',
    default: '',
    help: "A directory with git's source, or a repository of it (bare too), whose HEAD is taken.",
  },
  installed: {
    kind: 'text',
    default: '',
    help: 'Where a git of the same source is installed (`make prefix=… install`); built without it.',
  },
  tests: {
    kind: 'text',
    default: 't5537 t5539 t5541 t5542 t5545 t5549 t5551 t5561 t5616 t5700 t5702 t5703 t5732',
    help: 'Which tests.',
  },
  only: { kind: 'text', default: 'both', help: 'engine or backend: runs one side alone.' },
  keep: {
    kind: 'flag',
    default: '',
    help: 'Keeps the directory with everything that the tests left.',
  },
} as const satisfies Record<string, Option>

type Verdict = 'ok' | 'not ok' | 'skip' | 'known breakage'
type Results = ReadonlyMap<string, Verdict>

/** Tests refuse to run Apache as root: they then run as nobody. */
const NOBODY = 65534
const asRoot = process.getuid?.() === 0
const person = asRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []

function run(command: readonly string[], cwd: string): string {
  const ran = Bun.spawnSync([...command], { cwd, stdout: 'pipe', stderr: 'pipe' })
  if (ran.exitCode !== 0)
    throw new Error(
      `${command.join(' ')} ended with ${ran.exitCode}: ${ran.stderr.toString().slice(-2000)}`,
    )
  return ran.stdout.toString().trim()
}

type PreparedGit = { readonly source: string; readonly programs: string }

/** Git's source with the helpers of its tests, and where its programs are. */
function prepareGit(given: string, installed: string, into: string): PreparedGit {
  if (given === '')
    throw new OptionError(
      "--source is needed: a directory with git's source or a repository of it (https://github.com/git/git)",
    )
  let source = given
  if (!existsSync(join(given, 't', 'test-lib.sh'))) {
    source = join(into, 'source')
    mkdirSync(source)
    run(
      [
        'sh',
        '-c',
        `git --git-dir "$1" archive HEAD | tar x -C "$2"`,
        'sh',
        existsSync(join(given, '.git')) ? join(given, '.git') : given,
        source,
      ],
      into,
    )
  }
  const programs = installed === '' ? join(into, 'installed') : installed
  if (installed !== '' && existsSync(join(source, 't', 'helper', 'test-tool')))
    return { source, programs }
  const make = ['make', '-j2', 'CFLAGS=-O1 -w', 'NO_GETTEXT=1', 'NO_TCLTK=1', 'NO_PYTHON=1']
  try {
    run([...make, `prefix=${programs}`, 'all', 'install'], source)
  } catch (error) {
    throw new OptionError(
      `git cannot be built here (needs the headers of curl, expat, OpenSSL and zlib): ${String(error)}`,
    )
  }
  return { source, programs }
}

/** A directory like git's own of programs, with the bridge in the place of http-backend. */
function prepareBridge(into: string, real: string, address: string, root: string): string {
  const directory = join(into, 'programs')
  mkdirSync(directory)
  for (const name of readdirSync(real))
    if (name !== 'git-http-backend') symlinkSync(join(real, name), join(directory, name))
  const words = [
    process.execPath,
    join(ROOT, 'test', 'system', 'git-suite', 'bridge.ts'),
    address,
    root,
    join(real, 'git-http-backend'),
  ]
  writeFileSync(
    join(directory, 'git-http-backend'),
    `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')}\n`,
    { mode: 0o755 },
  )
  return directory
}

async function runTest(
  source: string,
  file: string,
  root: string,
  { installed, programs }: { readonly installed: string; readonly programs: string },
): Promise<Results> {
  const output = mkdtempSync(join(root, 'output-'))
  if (asRoot) chownSync(output, NOBODY, NOBODY)
  const child = Bun.spawn(
    [...person, 'sh', `./${file}`, `--root=${root}`, '--no-chain-lint', '--verbose-log'],
    {
      cwd: join(source, 't'),
      env: {
        PATH: process.env.PATH ?? '',
        HOME: root,
        GIT_TEST_INSTALLED: join(installed, 'bin'),
        GIT_TEST_EXEC_PATH: programs,
        GIT_TEST_HTTPD: 'true',
        TEST_OUTPUT_DIRECTORY: output,
        TERM: 'dumb',
      },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  const [text] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  const results = new Map<string, Verdict>()
  for (const line of text.split('\n')) {
    const match =
      /^(ok|not ok) (\d+) - (.*?)(?: # (skip|TO[D]O known breakage)(.*))?$/i.exec(line) ??
      /^(ok|not ok) (\d+) (?:# skip )?(.*)$/.exec(line)
    if (!match) continue
    const [, word = '', number = '', name = '', mark] = match
    const skipped = mark === 'skip' || / # skip /.test(line) || /^ok \d+ # skip/.test(line)
    results.set(
      `${number} ${name}`,
      skipped ? 'skip' : mark !== undefined ? 'known breakage' : word === 'ok' ? 'ok' : 'not ok',
    )
  }
  if (results.size === 0) throw new Error(`${file} told nothing: ${text.slice(0, 500)}`)
  return results
}

async function startServer(root: string): Promise<{ url: string; close(): Promise<void> }> {
  const log = Bun.file(join(root, '..', 'serve-bare.log'))
  const child = Bun.spawn(
    [...person, process.execPath, join(ROOT, 'test', 'system', 'serve-bare.ts'), root],
    { stdout: 'pipe', stderr: log, env: { ...process.env, HOME: root } },
  )
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  const url = Buffer.from(value ?? [])
    .toString()
    .trim()
  if (!url.startsWith('http')) throw new Error('serve-bare did not start')
  return {
    url,
    close: async () => {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

const tally = (results: Results): string => {
  const words = [...results.values()]
  const count = (verdict: Verdict): number => words.filter((word) => word === verdict).length
  return `${count('ok')} pass, ${count('not ok')} fail, ${count('skip')} skipped${count('known breakage') > 0 ? `, ${count('known breakage')} known breakages` : ''}`
}

if (import.meta.main) {
  await runScript(
    'bun test/system/git-suite.ts --source DIRECTORY [options]',
    OPTIONS,
    async (options) => {
      const directory = mkdtempSync(join(tmpdir(), 'hearth-git-suite-'))
      run(['chmod', '755', directory], directory)
      const roots = { backend: join(directory, 'backend'), engine: join(directory, 'engine') }
      let server: Awaited<ReturnType<typeof startServer>> | null = null
      let unexplained = 0
      try {
        for (const root of Object.values(roots)) {
          mkdirSync(root)
          if (asRoot) chownSync(root, NOBODY, NOBODY)
        }
        const { source, programs: installed } = prepareGit(
          options.source,
          options.installed,
          directory,
        )
        const real = run([join(installed, 'bin', 'git'), '--exec-path'], directory)
        process.stdout.write(`${run([join(installed, 'bin', 'git'), '--version'], directory)}\n`)
        server = await startServer(roots.engine)
        const bridge = prepareBridge(directory, real, server.url, roots.engine)
        const wanted = options.tests.split(/[ ,]+/)
        const files = readdirSync(join(source, 't'))
          .filter(
            (name) => name.endsWith('.sh') && wanted.some((one) => name.startsWith(`${one}-`)),
          )
          .sort()
        if (files.length === 0) throw new OptionError(`no test is called ${options.tests}`)
        for (const file of files) {
          const backend =
            options.only === 'engine'
              ? null
              : await runTest(source, file, roots.backend, { installed, programs: real })
          const engine =
            options.only === 'backend'
              ? null
              : await runTest(source, file, roots.engine, { installed, programs: bridge })
          process.stdout.write(`${file}\n`)
          if (backend) process.stdout.write(`  http-backend: ${tally(backend)}\n`)
          if (engine) process.stdout.write(`  engine:       ${tally(engine)}\n`)
          const expected =
            backend ?? new Map([...(engine ?? [])].map(([name]) => [name, 'ok' as Verdict]))
          for (const [name, verdict] of engine ?? []) {
            const other = expected.get(name)
            if (other === verdict || (backend === null && verdict !== 'not ok')) continue
            const why = EXPLAINED[`${file.slice(0, 5)} ${name.replace(/^\d+ /, '')}`]
            if (why === undefined) unexplained++
            process.stdout.write(
              `    ${verdict} (${other ?? 'not there'}): ${name}\n      ${why ? `${why.kind}: ${why.why}` : 'NOT EXPLAINED'}\n`,
            )
          }
        }
      } finally {
        await server?.close()
        if (options.keep === '') rmSync(directory, { recursive: true, force: true })
        else process.stdout.write(`everything is in ${directory}\n`)
      }
      return unexplained === 0 ? 0 : 1
    },
  )
}
