/**
 * The directory of one job. Commands see only its folder `work` (`build`, `home`, `tmp`); the
 * server's own files lie beside that. The directory is removed after the job. At start the server
 * removes directories that an ended process left.
 */
import { chmod, lstat, mkdir, open, readdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MINIMAL_ENV } from './shell.ts'

export type JobDirectory = {
  readonly id: string
  /** The whole directory; commands do not see it. */
  readonly folder: string
  readonly work: string
  readonly build: string
}

const PARTS = ['build', 'home', 'tmp'] as const

/** The folder of the sockets that lead out of a sandbox. It is the server's. */
export const DOOR_PART = 'door'
export const DOOR_SOCKET = 'socket'
export const PROXY_SOCKET = 'proxy'
export const doorSocket = ({ work }: JobDirectory): string => join(work, DOOR_PART, DOOR_SOCKET)
export const proxySocket = ({ work }: JobDirectory): string => join(work, DOOR_PART, PROXY_SOCKET)

export async function createJobDirectory(
  directory: string,
  id: string,
  parts: readonly string[] = PARTS,
): Promise<JobDirectory> {
  if (!/^[a-z0-9_-]{1,80}$/.test(id)) throw new Error(`not the name of a workplace: ${id}`)
  const folder = join(directory, id)
  await removeTree(folder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const work = join(folder, 'work')
  await mkdir(work, { mode: 0o700 })
  for (const part of parts) await mkdir(join(work, part), { mode: 0o755 })
  return { id, folder, work, build: join(work, 'build') }
}

/** The exit code of a program whose output does not matter. */
const runQuietly = async (command: readonly string[]): Promise<number> => {
  const child = Bun.spawn([...command], {
    env: MINIMAL_ENV,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  return child.exited
}

/**
 * Removes a folder that untrusted commands have filled: folders without permissions, paths longer
 * than PATH_MAX. Follows no links. Returns whether the folder is gone.
 */
export async function removeTree(path: string): Promise<boolean> {
  const gone = async (): Promise<boolean> => (await lstat(path).catch(() => null)) === null
  if (await gone()) return true
  // rm and chmod walk by directory descriptors, so the depth of the tree does not matter.
  if ((await runQuietly(['rm', '-rf', '--', path])) !== 0) {
    await runQuietly(['chmod', '-R', 'u+rwX', '--', path])
    await runQuietly(['rm', '-rf', '--', path])
  }
  return gone()
}

/** Removes directories of earlier processes. Returns the names of those that remain. */
export async function sweepJobDirectories(directory: string): Promise<string[]> {
  const remaining: string[] = []
  for (const name of await readdir(directory).catch(() => []))
    if (!(await removeTree(join(directory, name)))) remaining.push(name)
  return remaining
}

/** Changes the owner of trees, including the links themselves. */
export async function changeOwner(uid: number, ...paths: readonly string[]): Promise<void> {
  if ((await runQuietly(['chown', '-R', '-h', `${uid}:${uid}`, '--', ...paths])) !== 0)
    throw new Error('the folder could not be given to the user that commands run as')
}

/** One entry of a checkout. A submodule is an empty folder. A stream is read to its end. */
export type CheckoutEntry =
  | {
      readonly path: string
      readonly kind: 'file'
      readonly executable: boolean
      readonly data: Uint8Array | ReadableStream<Uint8Array>
    }
  | { readonly path: string; readonly kind: 'link'; readonly target: string | Uint8Array }
  | { readonly path: string; readonly kind: 'folder' }

/** Why a path must not be in a checkout; null when it may. */
function findPathFault(path: string): string | null {
  const bytes = Buffer.byteLength(path)
  if (path === '' || path.startsWith('/') || path.includes('\0') || bytes > 4_000)
    return 'is no path inside a checkout'
  for (const name of path.split('/')) {
    if (name === '' || name === '.' || name === '..') return 'leads out of the checkout'
    if (name.toLowerCase() === '.git') return 'would be a repository of its own'
    if (Buffer.byteLength(name) > 255) return 'has a name that is too long'
  }
  return null
}

async function writeNew(
  path: string,
  data: Uint8Array | ReadableStream<Uint8Array>,
  mode: number,
): Promise<void> {
  if (data instanceof Uint8Array) return await writeFile(path, data, { flag: 'wx', mode })
  const file = await open(path, 'wx', mode)
  try {
    for await (const part of data) await file.writeFile(part)
  } finally {
    await file.close()
  }
}

/**
 * Writes entries into an empty folder. Links are written last, so that no file is ever written
 * through a link. Throws a readable error for a path that leads out of the folder.
 */
export async function writeCheckout(
  folder: string,
  entries: AsyncIterable<CheckoutEntry>,
): Promise<{ files: number }> {
  const made = new Set<string>([folder])
  const links: (CheckoutEntry & { kind: 'link' })[] = []
  let files = 0
  const folderOf = async (path: string): Promise<void> => {
    if (made.has(path)) return
    await folderOf(dirname(path))
    await mkdir(path, { mode: 0o755 })
    made.add(path)
  }
  for await (const entry of entries) {
    const why = findPathFault(entry.path)
    if (why !== null) throw new Error(`${JSON.stringify(entry.path.slice(0, 200))} ${why}`)
    files++
    const path = join(folder, entry.path)
    if (entry.kind === 'link') links.push(entry)
    else if (entry.kind === 'folder') await folderOf(path)
    else {
      await folderOf(dirname(path))
      await writeNew(path, entry.data, entry.executable ? 0o755 : 0o644)
    }
  }
  for (const { path, target } of links) {
    await folderOf(dirname(join(folder, path)))
    await symlink(typeof target === 'string' ? target : Buffer.from(target), join(folder, path))
  }
  await chmod(folder, 0o755)
  return { files }
}
