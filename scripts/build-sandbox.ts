/**
 * Builds the programs of `assets/sandbox` that executables bring along: bubblewrap, from the source
 * beside it, and our own. All are static, for each kind of machine. The compiler is that of the
 * package ziglang on PyPI, which has the C library in it, so every machine makes the same bytes.
 * `--check` compares and writes nothing.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runScript, type Option } from './support/options.ts'

const folder = join(import.meta.dir, '..', 'assets', 'sandbox')

const COMPILER_VERSION = '0.13.0'
const COMPILER =
  'ziglang==0.13.0.post1 --hash=sha256:5ff0f2cb0d583b4f94820909612043f62e4d1d9a8bed77ceec088a01fc2ef015'
/** The upstream archive as Debian has it, in pool/main/b/bubblewrap. */
const SOURCE = {
  file: 'bubblewrap_0.11.0.orig.tar.xz',
  sha256: '988fd6b232dafa04b8b8198723efeaccdb3c6aa9c1c7936219d5791a8b7a8646',
}
const MACHINES = { x64: 'x86_64-linux-musl', arm64: 'aarch64-linux-musl' } as const

const FLAGS = [
  ...['-static', '-Os', '-s', '-D_GNU_SOURCE', '-fno-sanitize=undefined'],
  ...['-fstack-protector-strong', '-Wl,--build-id=none', '-Iinclude'],
]
const BUBBLEWRAP = ['bubblewrap.c', 'bind-mount.c', 'network.c', 'utils.c'].map(
  (name) => `source/${name}`,
)

const OURS = ['forward.c', 'hold.c', 'step.c']

const OPTIONS = {
  zig: {
    kind: 'text',
    default: '',
    help: `Zig ${COMPILER_VERSION}; installed with pip for this run unless given.`,
  },
  check: { kind: 'flag', default: '', help: 'Compares with what is there and writes nothing.' },
} as const satisfies Record<string, Option>

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** The path of the compiler, which pip has put below a folder. */
function installCompiler(work: string): string {
  const list = join(work, 'requirements.txt')
  writeFileSync(list, `${COMPILER}\n`)
  const target = join(work, 'compiler')
  const rules = ['--require-hashes', '--no-deps', '--only-binary=:all:']
  execFileSync('python3', ['-m', 'pip', 'install', '--quiet', ...rules, '-t', target, '-r', list], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return join(target, 'ziglang', 'zig')
}

function prepareSource(work: string): void {
  const archive = join(folder, SOURCE.file)
  const digest = createHash('sha256').update(readFileSync(archive)).digest('hex')
  if (digest !== SOURCE.sha256) throw new Error(`${SOURCE.file} has the digest ${digest}`)
  const source = join(work, 'source')
  mkdirSync(source)
  execFileSync('tar', ['-xJf', archive, '--strip-components=1', '-C', source])
  cpSync(join(folder, 'include'), join(work, 'include'), { recursive: true })
  for (const file of OURS) cpSync(join(folder, file), join(work, file))
}

/** The programs by their names in the folder. */
function build(work: string, zig: string): Map<string, Uint8Array> {
  const built = new Map<string, Uint8Array>()
  const programs = {
    bwrap: BUBBLEWRAP,
    ...Object.fromEntries(OURS.map((file) => [file.replace('.c', ''), [file]])),
  }
  for (const [machine, target] of Object.entries(MACHINES)) {
    for (const [program, files] of Object.entries(programs)) {
      const name = `${program}-${machine}.bin`
      // Relative paths and caches of its own: nothing of this machine gets into the bytes.
      execFileSync(zig, ['cc', '-target', target, ...FLAGS, '-o', name, ...files], {
        cwd: work,
        env: {
          PATH: process.env.PATH,
          ZIG_GLOBAL_CACHE_DIR: join(work, 'cache'),
          ZIG_LOCAL_CACHE_DIR: join(work, 'cache'),
        },
        stdio: ['ignore', 'ignore', 'ignore'],
      })
      built.set(name, readFileSync(join(work, name)))
      say(`${name}: ${built.get(name)?.length} bytes`)
    }
  }
  return built
}

await runScript('bun scripts/build-sandbox.ts [options]', OPTIONS, async ({ zig, check }) => {
  const work = mkdtempSync(join(tmpdir(), 'hearth-sandbox-'))
  try {
    prepareSource(work)
    const built = build(work, zig === '' ? installCompiler(work) : zig)
    if (!check) {
      for (const [name, bytes] of built) writeFileSync(join(folder, name), bytes)
      return 0
    }
    const others = [...built].filter(
      ([name, bytes]) => !readFileSync(join(folder, name)).equals(bytes),
    )
    for (const [name] of others) say(`${name} differs from what is there`)
    return others.length === 0 ? 0 : 1
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})
