/**
 * Runs git's own tests of HTTP twice, against `git http-backend` and against the engine, and tells
 * where they differ. The tests come from git's source (https://github.com/git/git) in the version
 * that is installed; Apache serves, as they want it. Against the engine, a bridge stands in for
 * http-backend (`git-suite/bridge.ts`). Ends with 1 when a test differs that nobody has explained.
 */
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
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
    help: "A directory with git's source, or a repository of it (bare too) to take it from.",
  },
  tests: { kind: 'text', default: 't5541 t5551 t5561 t5616 t5702', help: 'Which tests.' },
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

/** Git's source with what the tests need of it built; git itself is the one that is installed. */
function prepareSource(given: string, into: string): string {
  if (given === '')
    throw new OptionError(
      "--source is needed: a directory with git's source or a repository of it (https://github.com/git/git)",
    )
  let source = given
  if (!existsSync(join(given, 't', 'test-lib.sh'))) {
    const version = /version (\d+\.\d+\.\d+)/.exec(run(['git', '--version'], into))?.[1] ?? ''
    source = join(into, 'source')
    mkdirSync(source)
    run(
      [
        'sh',
        '-c',
        `git --git-dir "$1" archive "v$2" | tar x -C "$3"`,
        'sh',
        existsSync(join(given, '.git')) ? join(given, '.git') : given,
        version,
        source,
      ],
      into,
    )
  }
  const make = [
    'make',
    '-j2',
    'CFLAGS=-O0 -w',
    'NO_GETTEXT=1',
    'NO_CURL=1',
    'NO_EXPAT=1',
    'NO_TCLTK=1',
    'NO_PYTHON=1',
    'NO_OPENSSL=1',
  ]
  run([...make, 'GIT-BUILD-OPTIONS', 't/helper/test-tool'], source)
  run(['make', 'NO_GETTEXT=1', '-C', 'templates'], source)
  // What is built here speaks no HTTP, the installed one does.
  const options = join(source, 'GIT-BUILD-OPTIONS')
  writeFileSync(
    options,
    readFileSync(options, 'utf8').replace(/^NO_(CURL|EXPAT)=.*$/gm, "NO_$1=''"),
  )
  return source
}

/** A directory like git's own of programs, with the bridge in the place of http-backend. */
function prepareBridge(into: string, address: string, root: string): string {
  const real = run(['git', '--exec-path'], into)
  const directory = join(into, 'programs')
  mkdirSync(directory)
  for (const name of readdirSync(real))
    if (name !== 'git-http-backend') symlinkSync(join(real, name), join(directory, name))
  const words = [
    process.execPath,
    join(ROOT, 'scripts', 'git-suite', 'bridge.ts'),
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
  programs: string,
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
        GIT_TEST_INSTALLED: join(Bun.which('git') ?? '/usr/bin/git', '..'),
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
    [...person, process.execPath, join(ROOT, 'scripts', 'serve-bare.ts'), root],
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
        const source = prepareSource(options.source, directory)
        server = await startServer(roots.engine)
        const bridge = prepareBridge(directory, server.url, roots.engine)
        const real = run(['git', '--exec-path'], directory)
        const wanted = options.tests.split(/[ ,]+/)
        const files = readdirSync(join(source, 't'))
          .filter(
            (name) => name.endsWith('.sh') && wanted.some((one) => name.startsWith(`${one}-`)),
          )
          .sort()
        if (files.length === 0) throw new OptionError(`no test is called ${options.tests}`)
        for (const file of files) {
          const backend =
            options.only === 'engine' ? null : await runTest(source, file, roots.backend, real)
          const engine =
            options.only === 'backend' ? null : await runTest(source, file, roots.engine, bridge)
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
              `    ${verdict} (${other ?? 'not there'}): ${name}\n      ${why ?? 'NOT EXPLAINED'}\n`,
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
