/**
 * The folder that commands work in, one for each job: `work` holds what they see (`build`, `home`,
 * `tmp`), and beside it is what is not theirs. It is taken away afterwards, and whatever an ended
 * process left is swept at the start.
 */
import { chmod, lstat, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BARE } from './shell.ts'

export type Workplace = {
  readonly id: string
  /** Not shown to commands. */
  readonly folder: string
  readonly work: string
  readonly build: string
}

const PARTS = ['build', 'home', 'tmp'] as const

export async function makeWorkplace(directory: string, id: string): Promise<Workplace> {
  if (!/^[a-z0-9_-]{1,80}$/.test(id)) throw new Error(`not the name of a workplace: ${id}`)
  const folder = join(directory, id)
  await removeTree(folder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const work = join(folder, 'work')
  await mkdir(work, { mode: 0o700 })
  for (const part of PARTS) await mkdir(join(work, part), { mode: 0o755 })
  return { id, folder, work, build: join(work, 'build') }
}

const quietly = async (command: readonly string[]): Promise<number> => {
  const child = Bun.spawn([...command], {
    env: BARE,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  return child.exited
}

/**
 * Takes a folder away, whatever commands made of it: folders without rights, paths longer than any
 * call takes. Follows no link.
 */
export async function removeTree(path: string): Promise<boolean> {
  const gone = async (): Promise<boolean> => (await lstat(path).catch(() => null)) === null
  if (await gone()) return true
  // These two walk by open folders, so depth does not matter.
  if ((await quietly(['rm', '-rf', '--', path])) !== 0) {
    await quietly(['chmod', '-R', 'u+rwX', '--', path])
    await quietly(['rm', '-rf', '--', path])
  }
  return gone()
}

/** Takes away what is left of earlier processes. Gives the names of what would not go. */
export async function sweepWorkplaces(directory: string): Promise<string[]> {
  const stayed: string[] = []
  for (const name of await readdir(directory).catch(() => []))
    if (!(await removeTree(join(directory, name)))) stayed.push(name)
  return stayed
}

/** Gives everything below to another user, links themselves included. */
export async function giveTo(uid: number, path: string): Promise<void> {
  if ((await quietly(['chown', '-R', '-h', `${uid}:${uid}`, '--', path])) !== 0)
    throw new Error('the folder could not be given to the user that commands run as')
}

/** One entry of a checkout. A submodule is an empty folder. */
export type CheckoutEntry =
  | {
      readonly path: string
      readonly kind: 'file'
      readonly executable: boolean
      readonly data: Uint8Array
    }
  | { readonly path: string; readonly kind: 'link'; readonly target: string | Uint8Array }
  | { readonly path: string; readonly kind: 'folder' }

/**
 * Segments that may not be in a checkout: they lead out of it, or would be taken for a repository
 * by programs.
 */
function refuse(path: string): string | null {
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

/**
 * Writes entries below a folder. Links come last, so nothing is ever written through one of them;
 * the folder is empty at the start, and its paths are made by this only. Gives a readable error for
 * a path that is refused.
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
    const why = refuse(entry.path)
    if (why !== null) throw new Error(`${JSON.stringify(entry.path.slice(0, 200))} ${why}`)
    files++
    const path = join(folder, entry.path)
    if (entry.kind === 'link') links.push(entry)
    else if (entry.kind === 'folder') await folderOf(path)
    else {
      await folderOf(dirname(path))
      await writeFile(path, entry.data, { flag: 'wx', mode: entry.executable ? 0o755 : 0o644 })
    }
  }
  for (const { path, target } of links) {
    await folderOf(dirname(join(folder, path)))
    await symlink(typeof target === 'string' ? target : Buffer.from(target), join(folder, path))
  }
  await chmod(folder, 0o755)
  return { files }
}
