/**
 * Tries a release where it is meant to run: `bun test/system/try-release.ts [--release DIR] [--parts
 * executables,deb,image]`.
 *
 * - `executables`: those for Linux, also of other processors (qemu-user-static and
 *   libc6-arm64-cross) and for musl (`--musl`).
 * - `deb`: the package in a fresh Debian (debootstrap), by the command of its unit, through an
 *   upgrade, a removal and a purge.
 * - `image`: the image of Containerfile (buildah), on a root that is only read, as its user,
 *   without capabilities.
 *
 * What the machine cannot try is said and left out. Exits with 1 when anything that was tried went
 * wrong.
 */
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { packageDeb, releaseEpoch } from '../../scripts/package-deb.ts'
import { inRoot, makeRoot, run, whyNoRoot, wrapper } from './try-release/debian-root.ts'
import { again, exercise } from './try-release/exercise.ts'
import { ROOT } from '../../scripts/support/forge.ts'
import { OptionError, runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  release: {
    kind: 'text',
    default: join(ROOT, 'dist', 'release'),
    help: 'What scripts/release.ts made.',
  },
  parts: { kind: 'text', default: 'executables,deb,image', help: 'What is tried.' },
  base: {
    kind: 'text',
    default: join(tmpdir(), 'hearth-debian-12.tar'),
    help: 'A fresh Debian, made when it is not there.',
  },
  musl: {
    kind: 'text',
    default: '',
    help: 'A folder with x64 and arm64, each a root with musl and libstdc++, such as a small Alpine.',
  },
} as const satisfies Record<string, Option>

type Trial = {
  readonly release: string
  readonly base: string
  readonly musl: string
  readonly work: string
}

class LeftOut extends Error {}

function leaveOut(why: string): never {
  throw new LeftOut(why)
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

function assert(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what)
}

/** The executable of a target, out of its archive. */
function unpack({ release, work }: Trial, target: string): string {
  const name = `hearth-${packageJson.version}-${target}`
  const archive = join(release, `${name}.tar.gz`)
  if (!existsSync(archive)) leaveOut(`${archive} does not exist`)
  run('tar', '-C', work, '-xzf', archive)
  return join(work, name, 'hearth')
}

const isForeign = (target: string): boolean =>
  target.includes('arm64') !== (process.arch === 'arm64')

function emulator(target: string): string {
  const name = target.includes('arm64') ? 'qemu-aarch64-static' : 'qemu-x86_64-static'
  return Bun.which(name) ?? leaveOut(`${name} is not installed`)
}

async function tryExecutable(trial: Trial, target: string): Promise<void> {
  if (target.endsWith('-musl')) return tryMusl(trial, target)
  const executable = unpack(trial, target)
  const data = join(trial.work, `data-${target}`)
  let place = { executable, data }
  if (isForeign(target)) {
    const libraries = target.includes('arm64') ? '/usr/aarch64-linux-gnu' : '/usr/x86_64-linux-gnu'
    if (!existsSync(libraries)) leaveOut(`${libraries} does not exist`)
    place = {
      executable: wrapper(
        join(trial.work, `run-${target}`),
        [emulator(target), '-L', libraries, executable],
        true,
      ),
      data,
    }
  }
  await again(place, await exercise(place))
}

/**
 * In a root with nothing but musl and the C++ library, where neither this machine's C library nor
 * its programs are.
 */
async function tryMusl(trial: Trial, target: string): Promise<void> {
  const why = whyNoRoot()
  if (why !== null) leaveOut(why)
  const given = join(trial.musl, target.includes('arm64') ? 'arm64' : 'x64')
  if (trial.musl === '' || !existsSync(given)) leaveOut('no root of musl was given')
  const root = join(trial.work, `root-${target}`)
  run('cp', '-a', given, root)
  for (const folder of ['proc', 'dev', 'tmp']) mkdirSync(join(root, folder), { recursive: true })
  copyFileSync(unpack(trial, target), join(root, 'hearth'))
  if (isForeign(target)) copyFileSync(emulator(target), join(root, 'emulator'))
  const words = [
    '/usr/sbin/chroot',
    root,
    ...(isForeign(target) ? ['/emulator'] : []),
    '/hearth',
    'serve',
    '--listen',
    '127.0.0.1:0',
    '--data',
    '/data',
  ]
  const place = {
    executable: wrapper(join(trial.work, `run-${target}`), words),
    data: join(root, 'data'),
  }
  await inRoot(root, async () => again(place, await exercise(place)))
}

async function tryDeb({ release, base, work }: Trial): Promise<void> {
  const why = whyNoRoot()
  if (why !== null) leaveOut(why)
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64'
  const first = join(release, `hearth_${packageJson.version}_${arch}.deb`)
  if (!existsSync(first)) leaveOut(`${first} does not exist`)
  const root = join(work, 'debian')
  makeRoot(root, base)
  const inside = (...words: string[]): string => run('chroot', root, ...words)
  const install = (deb: string): void => {
    copyFileSync(deb, join(root, 'tmp', 'hearth.deb'))
    inside('dpkg', '-i', '/tmp/hearth.deb')
  }
  await inRoot(root, async () => {
    install(first)
    const unit = readFileSync(join(root, 'usr/lib/systemd/system/hearth.service'), 'utf8')
    const words = /^ExecStart=(.+)$/m.exec(unit)?.[1]?.split(' ') ?? []
    assert(words[0] === '/usr/bin/hearth', 'the unit starts something else')
    const settings = join(root, 'etc/hearth/hearth.toml')
    // What somebody changed must outlive an upgrade.
    run('sed', '-i', 's/^listen = .*/listen = "127.0.0.1:0"/', settings)
    const place = {
      executable: wrapper(join(work, 'run-deb'), [
        '/usr/sbin/chroot',
        root,
        '/usr/bin/setpriv',
        '--reuid=hearth',
        '--regid=hearth',
        '--clear-groups',
        '--no-new-privs',
        '--bounding-set=-all',
        ...words,
      ]),
      data: join(root, 'var/lib/hearth'),
    }
    const made = await exercise(place)
    assert((statSync(place.data).mode & 0o777) === 0o700, 'others may look into /var/lib/hearth')
    assert(
      run('chroot', root, 'stat', '-c', '%U', '/var/lib/hearth/hearth.db').trim() === 'hearth',
      "the database is not its user's",
    )

    const binary = join(root, 'usr/bin/hearth')
    const newer = packageDeb({
      binary,
      arch,
      out: join(work, 'newer'),
      epoch: releaseEpoch(),
      version: `${packageJson.version}+next`,
    })
    install(newer)
    assert(
      readFileSync(settings, 'utf8').includes('127.0.0.1:0'),
      'the upgrade took the settings away',
    )
    await again(place, made)
    inside('dpkg', '-r', 'hearth')
    assert(
      !existsSync(binary) && existsSync(settings) && existsSync(join(place.data, 'hearth.db')),
      'a removal left or took the wrong files',
    )
    inside('dpkg', '-P', 'hearth')
    assert(
      !existsSync(settings) && existsSync(join(place.data, 'hearth.db')),
      'a purge left or took the wrong files',
    )
    install(first)
    run('sed', '-i', 's/^listen = .*/listen = "127.0.0.1:0"/', settings)
    await again(place, made)
  })
  if (Bun.which('systemd-analyze')) {
    const unit = join(root, 'usr/lib/systemd/system/hearth.service')
    const level = /Overall exposure level for \S+: ([\d.]+)/.exec(
      run('systemd-analyze', 'security', '--offline=yes', '--no-pager', unit),
    )?.[1]
    assert(Number(level) < 5, `the unit is exposed by ${level}`)
    say(`  exposure of the unit: ${level} of 10`)
  }
}

async function tryImage(trial: Trial): Promise<void> {
  const { base, work } = trial
  const why = whyNoRoot()
  if (why !== null) leaveOut(why)
  const buildah = Bun.which('buildah')
  if (!buildah) return leaveOut('buildah is not installed')
  const stored = [
    '--root',
    join(work, 'images'),
    '--runroot',
    join(work, 'images-run'),
    '--storage-driver',
    'vfs',
  ]
  const build = (...words: string[]): string => run(buildah, ...stored, ...words).trim()
  const context = join(work, 'context')
  mkdirSync(join(context, 'dist'), { recursive: true })
  const recipe = readFileSync(join(ROOT, 'Containerfile'), 'utf8')
  copyFileSync(join(ROOT, 'Containerfile'), join(context, 'Containerfile'))
  copyFileSync(
    unpack(trial, process.arch === 'arm64' ? 'linux-arm64' : 'linux-x64'),
    join(context, 'dist', 'hearth'),
  )
  // The base is not asked of a registry: a fresh Debian takes its name.
  const from = /^FROM (\S+)$/m.exec(recipe)?.[1] ?? ''
  if (!existsSync(base)) makeRoot(join(work, 'debian-base'), base)
  const scratch = build('from', 'scratch')
  build('add', '-q', scratch, base, '/')
  build('commit', '-q', scratch, from)
  build('build', '-q', '--isolation=chroot', '--pull=never', '-t', 'hearth', context)
  const container = build('from', '--pull=never', 'hearth')
  type Inspected = {
    OCIv1: {
      config: {
        User: string
        Env: string[]
        Entrypoint: string[]
        Cmd: string[]
        Volumes: Record<string, unknown>
      }
    }
  }
  const { config } = (JSON.parse(build('inspect', '--type', 'image', 'hearth')) as Inspected).OCIv1
  const tree = join(work, 'tree')
  // Where it is mounted only root may look; who runs it is not root.
  run('cp', '-a', build('mount', container), tree)
  const [, user = '', group = ''] =
    new RegExp(`^${config.User}:x:(\\d+):(\\d+):`, 'm').exec(
      readFileSync(join(tree, 'etc/passwd'), 'utf8'),
    ) ?? []
  assert(Number(user) > 0, `the image runs as ${config.User}`)
  assert(Object.keys(config.Volumes).join() === '/data', 'the volume is not /data')
  const volume = join(work, 'volume')
  mkdirSync(volume)
  chownSync(volume, Number(user), Number(group))
  const words = [
    '/usr/sbin/chroot',
    tree,
    '/usr/bin/setpriv',
    `--reuid=${user}`,
    `--regid=${group}`,
    '--clear-groups',
    '--no-new-privs',
    '--bounding-set=-all',
    '/usr/bin/env',
    '-i',
    ...config.Env,
    'HEARTH_LISTEN=127.0.0.1:0',
    ...config.Entrypoint,
    ...config.Cmd,
  ]
  const place = { executable: wrapper(join(work, 'run-image'), words), data: volume }
  // A mount of its own can be made to be only read.
  run('mount', '--bind', tree, tree)
  try {
    run('mount', '--bind', volume, join(tree, 'data'))
    run('mount', '-o', 'remount,bind,ro', tree)
    await inRoot(tree, async () => again(place, await exercise(place)))
  } finally {
    run('umount', '-R', tree)
  }
  build('rm', container)
}

if (import.meta.main) {
  await runScript(
    'bun test/system/try-release.ts [options]',
    OPTIONS,
    async ({ release, parts, base, musl }) => {
      const wanted = parts.split(',')
      const unknown = wanted.find((part) => !['executables', 'deb', 'image'].includes(part))
      if (unknown !== undefined)
        throw new OptionError(`--parts takes executables, deb and image, not ${unknown}`)
      const work = mkdtempSync(join(tmpdir(), 'hearth-trial-'))
      run('chmod', '0755', work)
      const trial = { release, base, musl, work }
      const trials: [string, () => Promise<void>][] = []
      if (wanted.includes('executables'))
        for (const target of ['linux-x64', 'linux-arm64', 'linux-x64-musl', 'linux-arm64-musl'])
          trials.push([target, () => tryExecutable(trial, target)])
      if (wanted.includes('deb')) trials.push(['Debian package', () => tryDeb(trial)])
      if (wanted.includes('image')) trials.push(['image', () => tryImage(trial)])
      let failed = 0
      try {
        for (const [name, attempt] of trials) {
          try {
            await attempt()
            say(`${name}: works`)
          } catch (error) {
            if (error instanceof LeftOut) {
              say(`${name}: left out: ${error.message}`)
              continue
            }
            failed++
            const { stderr } = error as { stderr?: string }
            say(
              `${name}: ${error instanceof Error ? error.message : String(error)}${stderr ? `\n${stderr}` : ''}`,
            )
          }
        }
      } finally {
        // Whatever may still be mounted in there is not ours to empty.
        run('rm', '-rf', '--one-file-system', work)
      }
      return failed === 0 ? 0 : 1
    },
  )
}
