/**
 * Makes a release: for each kind of machine an archive with the executable, Debian packages, a bill
 * of materials, and SHA256SUMS of all of them. `bun scripts/release.ts --help` has the options. The
 * runtimes come from npm, as package-lock.json names them. `--twice` makes all of it again from a
 * copy of the source in another place and says which bytes differ.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { packageDeb, releaseEpoch } from './package-deb.ts'
import { writeArchive } from './release/archive.ts'
import { isTarget, runtimeFor, TARGETS, type Target } from './release/runtimes.ts'
import { sandboxSources } from './release/sandbox-sources.ts'
import { OptionError, runScript, type Option } from './support/options.ts'
import { billOfMaterials, type Lock } from './spdx.ts'

const root = join(import.meta.dir, '..')
const DEBIAN: Readonly<Record<string, string>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' }

/** What a build reads. */
const SOURCE = [
  'src',
  'web',
  'migrations',
  'scripts',
  'assets',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'README.md',
  'LICENSE',
]

const OPTIONS = {
  out: { kind: 'text', default: join(root, 'dist', 'release'), help: 'Where it is written.' },
  targets: { kind: 'text', default: Object.keys(TARGETS).join(','), help: 'Kinds of machine.' },
  cache: {
    kind: 'text',
    default: join(root, 'dist', 'runtimes'),
    help: 'Where runtimes are kept.',
  },
  twice: {
    kind: 'flag',
    default: '',
    help: 'Makes all of it again from a copy of the source elsewhere, and says which bytes differ.',
  },
} as const satisfies Record<string, Option>

const say = (line: string): void => void process.stdout.write(`${line}\n`)

type Making = {
  readonly source: string
  readonly out: string
  readonly targets: readonly Target[]
  readonly epoch: number
  readonly cache: string
}

/** Everything of a release in a directory. Gives the digest of each file by its name. */
async function make({ source, out, targets, epoch, cache }: Making): Promise<Map<string, string>> {
  const lock = JSON.parse(readFileSync(join(source, 'package-lock.json'), 'utf8')) as Lock
  mkdirSync(out, { recursive: true })
  const files: string[] = []
  const work = mkdtempSync(join(tmpdir(), 'hearth-build-'))
  try {
    for (const target of targets) {
      const program = target.startsWith('windows') ? 'hearth.exe' : 'hearth'
      const binary = join(work, target, program)
      execFileSync(
        process.execPath,
        [
          join(source, 'scripts/build.ts'),
          '--target',
          `bun-${target}`,
          '--runtime',
          runtimeFor(target, lock, cache),
          '--outfile',
          binary,
        ],
        {
          cwd: source,
          stdio: ['ignore', 'ignore', 'inherit'],
        },
      )
      const name = `hearth-${packageJson.version}-${target}`
      const bytes = readFileSync(binary)
      await writeArchive(
        join(out, `${name}.tar.gz`),
        name,
        [
          { name: program, bytes, mode: 0o755 },
          { name: 'README.md', bytes: readFileSync(join(source, 'README.md')), mode: 0o644 },
          { name: 'LICENSE', bytes: readFileSync(join(source, 'LICENSE')), mode: 0o644 },
          ...sandboxSources(source).map(({ path, bytes }) => ({
            name: `sandbox/${path}`,
            bytes,
            mode: 0o644,
          })),
        ],
        epoch,
      )
      files.push(join(out, `${name}.tar.gz`))
      say(`${target}: ${bytes.length} bytes`)
      const arch = DEBIAN[target]
      if (arch !== undefined && Bun.which('dpkg-deb'))
        files.push(packageDeb({ binary, arch, out, epoch }))
      rmSync(join(work, target), { recursive: true })
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  const bill = join(out, `hearth-${packageJson.version}.spdx.json`)
  const created = `${new Date(epoch * 1000).toISOString().slice(0, 19)}Z`
  writeFileSync(
    bill,
    billOfMaterials(lock, {
      created,
      version: packageJson.version,
      runtimes: targets.map((target) => TARGETS[target]),
    }),
  )
  files.push(bill)
  const sums = new Map(
    files.map((path): [string, string] => [
      basename(path),
      createHash('sha256').update(readFileSync(path)).digest('hex'),
    ]),
  )
  writeFileSync(
    join(out, 'SHA256SUMS'),
    [...sums].map(([name, sum]) => `${sum}  ${name}\n`).join(''),
  )
  return sums
}

/** The same source at another path, so that a path in a result shows. */
function copySource(): string {
  mkdirSync(join(root, 'dist'), { recursive: true })
  // On the same disk, so that packages need not be copied.
  const copy = mkdtempSync(join(root, 'dist', 'source-'))
  for (const part of SOURCE) cpSync(join(root, part), join(copy, part), { recursive: true })
  // Not as a symbolic link: packages would be somewhere else, seen from the source, and their paths
  // are in what a build remembers.
  execFileSync('cp', ['-rl', join(root, 'node_modules'), join(copy, 'node_modules')])
  return copy
}

await runScript(
  'bun scripts/release.ts [options]',
  OPTIONS,
  async ({ out, targets: list, cache, twice }) => {
    const names = list.split(',')
    const targets = names.filter(isTarget)
    const unknown = names.find((name) => !isTarget(name))
    if (unknown !== undefined)
      throw new OptionError(
        `there is no target ${unknown}; there are ${Object.keys(TARGETS).join(', ')}`,
      )
    const epoch = releaseEpoch()
    const sums = await make({ source: root, out, targets, epoch, cache })
    for (const [name, sum] of sums) say(`${sum}  ${name}`)
    if (twice === '') return 0
    const source = copySource()
    const elsewhere = mkdtempSync(join(tmpdir(), 'hearth-release-'))
    try {
      const again = await make({ source, out: elsewhere, targets, epoch, cache })
      const differ = [...sums]
        .filter(([name, sum]) => again.get(name) !== sum)
        .map(([name]) => name)
      say(
        differ.length === 0
          ? 'made twice, the same bytes'
          : `made twice, and these differ: ${differ.join(', ')}`,
      )
      return differ.length === 0 ? 0 : 1
    } finally {
      for (const folder of [source, elsewhere]) rmSync(folder, { recursive: true, force: true })
    }
  },
)
