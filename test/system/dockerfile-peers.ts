/**
 * Images that our builder makes of Dockerfiles are those that Docker's own builder makes: the same
 * files with their modes, owners and links, and the same configuration:
 * `bun test/system/dockerfile-peers.ts`. Needs root, busybox and a daemon of Docker whose client has
 * BuildKit (`--client PATH`); nothing else may use the daemon meanwhile.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { dockerEngine } from '#src/runner/containers/docker-engine.ts'
import { JobContainers } from '#src/runner/containers/job-containers.ts'
import { createJobDirectory } from '#src/runner/job-directory.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { BASE, CASES, type Case } from './dockerfile-peers/cases.ts'
import { run } from './job-containers/images.ts'

const OPTIONS = {
  client: { kind: 'text', default: 'docker', help: 'The client for builds of Docker itself.' },
  only: { kind: 'text', default: '', help: 'Cases whose names have this text.' },
  times: { kind: 'flag', default: '', help: 'Prints how long each build takes.' },
} as const satisfies Record<string, Option>

const MIB = 1024 ** 2
const LIMITS = {
  timeMs: 600_000,
  memoryBytes: 512 * MIB,
  diskBytes: 300 * MIB,
  processes: 200,
  files: 1024,
  outputBytes: MIB,
}
const APPLETS = 'sh ls cat echo id env mkdir chown chmod ln true grep test rm umask'
const OURS = 'localhost/peers-ours:1'
const THEIRS = 'localhost/peers-theirs:1'
/** What both builders, or Docker where it makes a container, set by themselves. */
const OF_BUILD = ['hearth.built', 'hearth.jobs']

async function makeBase(directory: string): Promise<void> {
  const root = join(directory, 'base')
  for (const folder of ['bin', 'etc', 'tmp', 'lib', 'home/bob'])
    mkdirSync(join(root, folder), { recursive: true })
  run('chmod', '1777', join(root, 'tmp'))
  cpSync(Bun.which('busybox') ?? '/bin/busybox', join(root, 'bin/busybox'))
  for (const name of APPLETS.split(' ')) symlinkSync('busybox', join(root, 'bin', name))
  await Bun.write(
    join(root, 'etc/passwd'),
    'root:x:0:0:root:/root:/bin/sh\nbob:x:1000:1001:bob:/home/bob:/bin/sh\n',
  )
  await Bun.write(join(root, 'etc/group'), 'root:x:0:\nbob:x:1001:\nstaff:x:50:\n')
  const archive = join(directory, 'base.tar')
  run('tar', '-C', root, '--numeric-owner', '--owner=0', '--group=0', '-cf', archive, '.')
  run('docker', 'import', archive, BASE)
}

async function writeContext(
  folder: string,
  { dockerfile, files = {}, links = {}, archive }: Case,
): Promise<void> {
  for (const [path, text] of Object.entries({ ...files, Dockerfile: dockerfile })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    await Bun.write(join(folder, path), text)
  }
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(folder, path))
  if (archive === undefined) return
  const { path, options, from } = archive
  run('tar', options, '-C', join(folder, from), '-f', join(folder, path), '.')
}

/** A line for each file of an image, with all that an image says of it but its time. */
function filesOf(image: string, directory: string): string[] {
  const id = run('docker', 'create', '--entrypoint', '/x', image)
  const root = mkdtempSync(join(directory, 'root-'))
  try {
    const archive = join(root, 'all.tar')
    run('docker', 'export', '-o', archive, id)
    mkdirSync(join(root, 'files'))
    run('tar', '-C', join(root, 'files'), '--numeric-owner', '-xpf', archive)
    // What Docker puts into every container.
    const ofDocker = 'dev/console,dev/pts,dev/shm,etc/hostname,etc/hosts,etc/resolv.conf,.dockerenv'
    for (const path of ofDocker.split(','))
      rmSync(join(root, 'files', path), { recursive: true, force: true })
    const listed = run('find', join(root, 'files'), '-printf', '%P %y %m %U %G %n %l\n')
    const sums = run('find', join(root, 'files'), '-type', 'f', '-exec', 'sha256sum', '{}', '+')
    return [
      ...listed
        .split('\n')
        .filter((line) => !/ d | l /.test(line) || !/^(?:proc|sys|dev)? /.test(line)),
      ...sums.replaceAll(root, '').split('\n'),
    ].toSorted()
  } finally {
    run('docker', 'rm', id)
    rmSync(root, { recursive: true, force: true })
  }
}

/** What an image says of itself, without what stands for nothing. */
function configOf(image: string): string[] {
  const found = JSON.parse(
    run('docker', 'image', 'inspect', '--format', '{{json .Config}}', image),
  ) as Record<string, unknown>
  const labels = (found.Labels ?? {}) as Record<string, string>
  const Labels = Object.fromEntries(
    Object.entries(labels).filter(([name]) => !OF_BUILD.includes(name)),
  )
  const isSaid = (value: unknown): boolean =>
    value !== null &&
    value !== '' &&
    value !== false &&
    JSON.stringify(value) !== '[]' &&
    JSON.stringify(value) !== '{}'
  const known = [
    'Env',
    'Cmd',
    'Entrypoint',
    'User',
    'WorkingDir',
    'ExposedPorts',
    'Volumes',
    'StopSignal',
    'Healthcheck',
    'OnBuild',
    'Shell',
  ]
  return Object.entries({ ...Object.fromEntries(known.map((key) => [key, found[key]])), Labels })
    .filter(([, value]) => isSaid(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .toSorted()
}

const difference = (ours: readonly string[], theirs: readonly string[]): string[] => [
  ...ours.filter((line) => !theirs.includes(line)).map((line) => `ours   ${line}`),
  ...theirs.filter((line) => !ours.includes(line)).map((line) => `theirs ${line}`),
]

async function buildOurs(directory: string, context: string): Promise<string> {
  const runnerDirectory = join(directory, 'jobs')
  const job = await createJobDirectory(runnerDirectory, 'peers')
  const containers = new JobContainers({
    engine: dockerEngine,
    directory: job,
    runnerDirectory,
    limits: LIMITS,
    network: 'none',
    uid: null,
    findRegistry: async () => {
      throw new Error('there is no registry')
    },
    limitGroup: () => ({ group: null, release: async () => {} }),
    kernelLimitsMemory: true,
    privateImages: join(directory, 'private'),
    onExceeded: () => {},
  })
  const folder = join(job.folder, 'build-1')
  cpSync(context, join(folder, 'context'), { recursive: true, verbatimSymlinks: true })
  const said: Uint8Array[] = []
  try {
    await containers.builder.build({
      folder,
      file: 'Dockerfile',
      image: OURS,
      output: (bytes) => void said.push(Buffer.from(bytes)),
      signal: new AbortController().signal,
    })
    return ''
  } catch (error) {
    return `${Buffer.concat(said).toString()}\n${error instanceof Error ? error.message : String(error)}`
  } finally {
    await containers.close()
    rmSync(job.folder, { recursive: true, force: true })
  }
}

function buildTheirs(client: string, context: string): string {
  const { exitCode, stderr } = Bun.spawnSync(
    [client, 'build', '--no-cache', '--network', 'none', '--progress=plain', '-t', THEIRS, context],
    {
      env: {
        PATH: process.env.PATH,
        DOCKER_BUILDKIT: '1',
        DOCKER_HOST: 'unix:///var/run/docker.sock',
        HOME: process.env.HOME,
      },
    },
  )
  return exitCode === 0 ? '' : stderr.toString()
}

await runScript('bun test/system/dockerfile-peers.ts', OPTIONS, async ({ client, only, times }) => {
  const directory = mkdtempSync(join(tmpdir(), 'hdp-'))
  let failures = 0
  const images = (): string => run('docker', 'images', '-aq', '--filter', 'label=hearth.jobs')
  try {
    await makeBase(directory)
    for (const one of CASES.filter(({ name }) => name.includes(only))) {
      const context = join(directory, 'context')
      rmSync(context, { recursive: true, force: true })
      mkdirSync(context)
      await writeContext(context, one)
      const [began, theirFault] = [performance.now(), buildTheirs(client, context)]
      const [between, ourFault] = [performance.now(), await buildOurs(directory, context)]
      const end = performance.now()
      const faults = [theirFault, ourFault].filter((fault) => fault !== '')
      const differing =
        faults.length > 0
          ? faults
          : [
              ...difference(configOf(OURS), configOf(THEIRS)),
              ...difference(filesOf(OURS, directory), filesOf(THEIRS, directory)),
            ]
      if (differing.length > 0) failures++
      const took =
        times === ''
          ? ''
          : `: ${Math.round(end - between)} ms, Docker ${Math.round(between - began)} ms`
      process.stdout.write(`${differing.length === 0 ? 'ok  ' : 'FAIL'} ${one.name}${took}\n`)
      for (const line of differing) process.stdout.write(`       ${line}\n`)
      for (const image of [OURS, THEIRS]) Bun.spawnSync(['docker', 'rmi', '-f', image])
    }
    const left = images()
    if (left !== '') failures++
    process.stdout.write(`${left === '' ? 'ok  ' : 'FAIL'} no image is left${left}\n`)
  } finally {
    Bun.spawnSync(['docker', 'rmi', '-f', BASE, OURS, THEIRS])
    rmSync(directory, { recursive: true, force: true })
  }
  return failures === 0 ? 0 : 1
})
