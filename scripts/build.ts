/**
 * Builds `dist/hearth`, one executable with everything inside. `--target bun-linux-arm64` and the
 * like build for another machine, for which Bun fetches its runtime, or takes it from `--runtime
 * FILE`; `--outfile` names the result. `--record` writes `start.order` anew: it starts the built
 * forge, asks it for a page, and builds once more.
 */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startForge } from './support/forge.ts'
import { runScript, type Option } from './support/options.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const OPTIONS = {
  target: {
    kind: 'text',
    default: '',
    help: 'The kind of machine, as Bun calls it, such as bun-linux-arm64; this one unless given.',
  },
  runtime: { kind: 'text', default: '', help: 'The runtime to build into; fetched unless given.' },
  outfile: { kind: 'text', default: join(root, 'dist', 'hearth'), help: 'What is written.' },
  entry: { kind: 'text', default: 'src/main.ts', help: 'Where the program begins.' },
  record: {
    kind: 'flag',
    default: '',
    help: 'Records the functions of a start, and builds again.',
  },
} as const satisfies Record<string, Option>

/** The functions that a start runs, by hashes of their syntax. Their bytecode comes first. */
const START_ORDER = join(root, 'scripts', 'start.order')

/**
 * How reluctant the compiler of hot code is during a start, of which most runs once. `serve` sets it
 * back as soon as it answers.
 */
const START_JIT_POLICY = 8

/**
 * Bun stores a source with one character beyond ASCII as UTF-16, at twice its size, which would add
 * 6 MB. It escapes such characters everywhere but in the comments of licenses, which minifying
 * keeps. `test/journeys/executable.test.ts` finds further ones.
 */
const asciiComments: Bun.BunPlugin = {
  name: 'ascii-comments',
  setup(build) {
    build.onLoad({ filter: /\/node_modules\/otpauth\/.*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/^\/\/!.*$/gm, (comment) =>
        comment.normalize('NFD').replace(/[^\x20-\x7e]/g, ''),
      ),
      loader: 'js',
    }))
  },
}

type Build = Readonly<Record<'target' | 'runtime' | 'outfile' | 'entry', string>>

async function build({ target, runtime, outfile, entry }: Build): Promise<void> {
  // Names of files in a build are hashes, so what an older build left would stay.
  const work = mkdtempSync(join(dirname(outfile), '.build-'))
  try {
    const written = join(work, outfile.slice(dirname(outfile).length + 1))
    const { success, logs } = await Bun.build({
      throw: false,
      // Workers are entry points of their own.
      entrypoints: [entry, ...[...new Bun.Glob('src/**/*.worker.ts').scanSync(root)].sort()],
      // Else the paths of workers depend on which other folders have code in the bundle.
      root: 'src',
      target: 'bun',
      // Without the module format the paths of workers are those of the machine that built.
      format: 'esm',
      minify: true,
      define: { 'process.env.NODE_ENV': '"production"' },
      // Code for rarely used rooms is loaded when it is used, and workers share the code that they
      // have in common with the program: without this they would hold it a second time.
      splitting: true,
      // Bytecode is 20 MB and takes 40 % off the processor time of a start; the map is 11 MB, and
      // lets the log name lines of the source.
      sourcemap: 'linked',
      bytecode: true,
      // ssh2 does without its addons. They are there or not, and for one kind of machine, depending
      // on who installed it.
      external: ['*.node'],
      plugins: [asciiComments],
      compile: {
        outfile: written,
        // A stranger's .env or bunfig.toml in the working directory is not ours to read.
        autoloadDotenv: false,
        autoloadBunfig: false,
        bytecodeOrder: START_ORDER,
        jitPolicy: START_JIT_POLICY,
        ...(target === '' ? {} : { target: target as Bun.Build.CompileTarget }),
        ...(runtime === '' ? {} : { executablePath: runtime }),
      },
    })
    if (!success) throw new Error(`the build failed:\n${logs.map(String).join('\n')}`)
    renameSync(written, outfile)
  } finally {
    rmSync(work, { recursive: true })
  }
}

/**
 * Writes down which functions a start runs. Hashes of strings are left out: they are most of what
 * the runtime records, and their order makes no difference that could be measured.
 */
async function record(executable: string): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'hearth-record-'))
  try {
    const recorded = join(place, 'order')
    const forge = await startForge({
      executable,
      data: join(place, 'data'),
      log: join(place, 'log'),
      environment: { BUN_BYTECODE_ORDER_OUT: recorded },
    })
    for (const path of ['/', '/login', '/api/readyz'])
      await (await fetch(forge.url + path)).arrayBuffer()
    await forge.stop()
    const lines = readFileSync(recorded, 'utf8').split('\n')
    writeFileSync(START_ORDER, `${lines.filter((line) => /^(v|[FMN] )/.test(line)).join('\n')}\n`)
  } finally {
    rmSync(place, { recursive: true })
  }
}

await runScript('bun scripts/build.ts [options]', OPTIONS, async (options) => {
  mkdirSync(dirname(options.outfile), { recursive: true })
  process.chdir(root)
  await build(options)
  if (options.record !== '') {
    await record(options.outfile)
    await build(options)
  }
  return 0
})
