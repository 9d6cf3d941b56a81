/**
 * Builds an image from a Dockerfile. Podman works in namespaces of its own, as the user of the job and
 * with a store of its own in the folder of the job. So neither a Dockerfile nor what it fetches is
 * ever handled with the rights of the server, and what a killed build leaves ends with the job.
 */
import { createReadStream, existsSync } from 'node:fs'
import { chmod, lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readTar } from '#lib/archives/tar.ts'
import { isObject } from '#lib/json-value.ts'
import type { ControlGroup } from '../cgroups.ts'
import { changeOwner, type JobDirectory } from '../job-directory.ts'
import { FORWARDER, INPUT_PART } from '../job.ts'
import type { CommandLimits } from '../limits.ts'
import {
  awaitForwarder,
  internetFiles,
  nameServersOf,
  startForwarder,
  type Network,
} from '../network.ts'
import { MOUNT_POINTS, ulimitScript } from '../sandbox.ts'
import { quote, quoteAll } from '../shell.ts'
import { UIDS_OF_JOB } from '../uid-pool.ts'
import { watchLimits, type ExceededLimit } from '../watch-limits.ts'
import { CAPABILITIES } from './engine.ts'
import {
  BUILT,
  BUILT_LABEL,
  CONTEXT,
  dockerfileOf,
  TOO_MUCH,
  type ImageBuild,
} from './built-images.ts'
import { clientEnvironment, diskMeasure, PODMAN, podman, requirePodman } from './podman.ts'
import { openProxy, PROXY_PORT } from './pull-podman.ts'
import type { FindRegistry } from './pull.ts'

type BuildPlace = {
  readonly directory: JobDirectory
  readonly limits: CommandLimits
  readonly network: Network
  /** Root of the build on this machine; null unless podman runs as root. */
  readonly uid: number | null
  readonly findRegistry: FindRegistry
  /** The filter of system calls (`seccomp-profile.ts`). */
  readonly profile: string
  readonly group: ControlGroup | null
  readonly kernelLimitsMemory: boolean
}

/** What podman writes, below the folder of the build. */
const PARTS = ['store', 'run', 'lib', 'home', 'out'] as const
/** Images without a registry are those of Docker Hub, whatever podman is set to. */
const REGISTRIES = 'unqualified-search-registries = ["docker.io"]\nshort-name-mode = "disabled"\n'
const DEVICES = 'null zero full random urandom tty'

/** Names of images of this machine that a Dockerfile may begin with. */
export const localImagesOf = (text: string): string[] => [
  ...new Set(
    [
      ...text.matchAll(
        /^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*(localhost\/[a-z0-9][\w.:/-]{0,200})[ \t\r]*(?:AS\b.*)?$/gim,
      ),
    ]
      .flatMap(([, name]) => name ?? [])
      .filter((name) => !name.startsWith(BUILT)),
  ),
]

/** Builds the image and gives it to podman. Throws an Error with one line for the author. */
export async function buildImage(build: ImageBuild, place: BuildPlace): Promise<void> {
  const { folder, output, signal } = build
  const { directory, network, uid, group } = place
  for (const part of PARTS) await mkdir(join(folder, part))
  const parts = PARTS.map((part) => join(folder, part))
  if (uid !== null) await changeOwner(uid, ...parts)
  await chmod(folder, 0o755)
  const files = network === 'internet' ? internetFiles() : { rules: '', resolv: '' }
  const written = {
    'seccomp.json': await readFile(place.profile, 'utf8'),
    'registries.conf': REGISTRIES,
    'net-rules': files.rules,
  }
  for (const [name, text] of Object.entries(written)) {
    await writeFile(join(folder, name), text)
    await chmod(join(folder, name), 0o644)
  }
  const bases = await saveLocalImages(build)
  const proxy =
    network === 'machine' ? null : await openProxy(join(folder, 's'), place.findRegistry)
  let exceeded: ExceededLimit | null = null
  const stop = new AbortController()
  const script = buildScript(build, place, { servers: nameServersOf(files.resolv), bases })
  const child = Bun.spawn(['/bin/sh', '-c', script], {
    env: {
      ...clientEnvironment(),
      ...(proxy && { HTTPS_PROXY: proxy.address, HTTP_PROXY: proxy.address }),
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
    killSignal: 'SIGKILL',
    signal: AbortSignal.any([signal, stop.signal]),
  })
  const unwatch = watchLimits({
    pids: () => [child.pid],
    folders: () => [folder, directory.work],
    du: diskMeasure(),
    limits: place.limits,
    kernelLimitsMemory: place.kernelLimitsMemory,
    countOomKills: () => group?.countOomKills() ?? 0,
    onExceeded: (what) => {
      exceeded = what
      stop.abort()
    },
  })
  try {
    for await (const part of child.stdout) await output(part)
    const exit = await child.exited
    if (exceeded !== null) throw new Error(`the image could not be built: ${TOO_MUCH[exceeded]}`)
    if (exit !== 0 && (group?.countOomKills() ?? 0) > 0)
      throw new Error(`the image could not be built: ${TOO_MUCH.memory}`)
    if (exit !== 0) throw new Error(`the image could not be built (exit code ${exit})`)
    await loadImage(join(folder, 'out', 'image.tar'), build.image)
  } finally {
    unwatch()
    proxy?.close()
    for (const part of parts) await rm(part, { recursive: true, force: true }).catch(() => {})
  }
}

const MAX_MANIFEST_BYTES = 64 * 1024
const MANIFEST = 'manifest.json'
/** With one of these podman reads the archive in another format, by other names. */
const OTHER_FORMATS = ['index.json', 'oci-layout']

/**
 * Throws unless the archive has one image, under its own name. The user of the job wrote it, and an
 * image of another name would take the place of one that other jobs use.
 */
export async function requireOnlyName(archive: string, image: string): Promise<void> {
  const fault = (what: string): Error => new Error(`the image could not be built: ${what}`)
  if (!(await lstat(archive)).isFile()) throw fault('its archive is no file')
  const manifests: unknown[] = []
  for await (const { path, size, data } of readTar(createReadStream(archive), {
    skipsOthers: true,
  })) {
    if (OTHER_FORMATS.includes(path)) throw fault('its archive has another format')
    if (path !== MANIFEST) {
      for await (const _ of data);
      continue
    }
    if (size > MAX_MANIFEST_BYTES) throw fault('its manifest is too large')
    manifests.push(JSON.parse(Buffer.concat(await Array.fromAsync(data)).toString()))
  }
  const names = manifests.flat().flatMap((one) => (isObject(one) ? one.RepoTags : null))
  if (names.length !== 1 || names[0] !== image) throw fault('its archive has other names')
}

async function loadImage(archive: string, image: string): Promise<void> {
  await requireOnlyName(archive, image)
  await requirePodman(['load', '-q', '-i', archive])
}

/** Writes the images of this machine that the Dockerfile names into a file; null for none. */
async function saveLocalImages(build: ImageBuild): Promise<string | null> {
  const { folder } = build
  const names: string[] = []
  for (const name of localImagesOf((await dockerfileOf(build)) ?? ''))
    if ((await podman(['image', 'exists', '--', name])).exit === 0) names.push(name)
  if (names.length === 0) return null
  const path = join(folder, 'bases.tar')
  await requirePodman(['save', '-q', '-m', '-o', path, '--', ...names])
  await chmod(path, 0o644)
  return 'bases.tar'
}

/** A shell program of three parts: of the server, in new namespaces, and as the user of the job. */
function buildScript(
  { folder, file, image }: ImageBuild,
  { directory, limits, network, uid, group }: BuildPlace,
  { servers, bases }: { servers: readonly string[]; bases: string | null },
): string {
  const at = MOUNT_POINTS.find((path) => existsSync(path)) ?? MOUNT_POINTS[0]
  const client = [
    ...[PODMAN, '--root', `${at}/store`, '--runroot', `${at}/run`, '--tmpdir', `${at}/lib`],
    ...['--cgroup-manager', 'cgroupfs', '--events-backend', 'none'],
  ]
  const build = [
    ...[...client, 'build', '--isolation', 'chroot', '--network', 'host', '--http-proxy=false'],
    ...['--layers=false', '--format', 'docker', '--label', `${BUILT_LABEL}=1`],
    ...['--cap-drop', 'all'],
    ...CAPABILITIES.filter((one) => one !== 'SYS_CHROOT').flatMap((one) => ['--cap-add', one]),
    ...['--security-opt', `seccomp=${at}/seccomp.json`],
    ...servers.flatMap((address) => ['--dns', address]),
    ...['-t', image, '-f', `${at}/${CONTEXT}/${file}`, `${at}/${CONTEXT}`],
  ]
  const save = [...client, 'save', '-q', '--format', 'docker-archive', '-o', `${at}/out/image.tar`]
  const asUser = [
    'exec 2>&1 </dev/null',
    `{ ${ulimitScript(limits)}; } || exit 126`,
    `cd / && export HOME=${at}/home TMPDIR=/tmp CONTAINERS_REGISTRIES_CONF=${at}/registries.conf`,
    ...(bases === null
      ? []
      : [`${quoteAll([...client, 'load', '-q', '-i', `${at}/${bases}`])} >/dev/null || exit`]),
    `${quoteAll(build)} || exit`,
    `exec ${quoteAll([...save, image])}`,
  ].join('\n')
  const forward = [join(directory.work, INPUT_PART, FORWARDER), String(PROXY_PORT), `${at}/s`]
  const inNamespaces = [
    ...(network === 'internet' ? [awaitForwarder(folder)] : []),
    'mount -t proc proc /proc || exit 125',
    `mount --bind -- ${quote(folder)} ${at} || exit 125`,
    ...(network === 'machine'
      ? []
      : ['ip link set lo up || exit 125', `${quoteAll(forward)} </dev/null || exit 125`]),
    // Nothing of this machine's is there to be written, and of its devices only those for all.
    'for one in /tmp /var/tmp; do mount -t tmpfs -o mode=1777 tmpfs $one || exit 125; done',
    'mkdir /tmp/dev /tmp/dev/shm /tmp/dev/pts && ln -s /proc/self/fd /tmp/dev/fd || exit 125',
    `for one in ${DEVICES}; do : >/tmp/dev/$one && mount --bind /dev/$one /tmp/dev/$one || exit 125; done`,
    'mount -t tmpfs -o mode=1777 tmpfs /tmp/dev/shm && mount --rbind /tmp/dev /dev || exit 125',
    ...(uid === null
      ? [`exec setpriv --no-new-privs /bin/sh -c ${quote(asUser)}`]
      : [withUsers(uid, asUser)]),
  ].join('\n')
  const spaces = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private']
  const enter = `unshare ${network === 'machine' ? '' : '--net '}${spaces.join(' ')} -- /bin/sh -c ${quote(inNamespaces)}`
  const ofServer = [
    ...(network === 'internet' ? [startForwarder(folder)] : []),
    ...(group?.procsFiles ?? []).map((path) => `echo $$ >${quote(path)} || exit 125`),
    `exec ${enter}`,
  ].join('\n')
  return uid === null ? `exec ${PODMAN} unshare /bin/sh -c ${quote(ofServer)}` : ofServer
}

/** Executes a shell program as root of a namespace of users, whose root is the user of the job. */
function withUsers(uid: number, program: string): string {
  const root = '--reuid=0 --regid=0 --clear-groups --inh-caps=-all --no-new-privs'
  const inside = `echo >/tmp/made; read -r _ </tmp/mapped; exec setpriv ${root} /bin/sh -c ${quote(program)}`
  return [
    'mkfifo /tmp/made /tmp/mapped || exit 125',
    `unshare --user --keep-caps --mount -- /bin/sh -c ${quote(inside)} &`,
    'read -r _ </tmp/made',
    `for map in uid_map gid_map; do echo "0 ${uid} ${UIDS_OF_JOB}" >/proc/$!/$map || exit 125; done`,
    'echo >/tmp/mapped',
    'wait $!',
  ].join('\n')
}
