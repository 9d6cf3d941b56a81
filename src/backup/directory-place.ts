/** A place for backups that is a directory of this machine, or one that is mounted. */
import { open, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { syncDirectory } from '#lib/disk.ts'
import { randomToken } from '#lib/hash.ts'
import { Missing, wrap, type Place, type Stored } from './place.ts'

const PARTIAL = 'partial'

export function directoryPlace(path: string): Place {
  const root = resolve(path)
  /** Folders with names that are not known to be on disk yet. */
  const unsettled = new Set<string>()
  const made = new Set<string>()

  async function folder(name: string): Promise<void> {
    if (made.has(name)) return
    const first = await mkdir(name, { recursive: true, mode: 0o700 })
    made.add(name)
    if (first === undefined) return
    for (let at = name; at.length >= first.length; at = dirname(at)) unsettled.add(dirname(at))
  }

  async function* walk(at: string, name: string): AsyncGenerator<Stored> {
    const entries = await readdir(at, { withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
        throw wrap(root, error)
      },
    )
    for (const entry of entries) {
      const inner = join(at, entry.name)
      if (entry.isDirectory()) yield* walk(inner, `${name}${entry.name}/`)
      else if (entry.isFile()) {
        const found = await stat(inner).catch(() => null)
        if (found)
          yield { name: `${name}${entry.name}`, size: found.size, modified_ms: found.mtimeMs }
      }
    }
  }

  return {
    address: root,
    list: (prefix) =>
      walk(join(root, prefix), prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`),

    async put(name, bytes) {
      const target = join(root, name)
      const partial = join(root, PARTIAL, randomToken(12))
      try {
        await folder(join(root, PARTIAL))
        await folder(dirname(target))
        const file = await open(partial, 'wx', 0o600)
        try {
          await file.writeFile(bytes)
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(partial, target)
        unsettled.add(dirname(target))
      } catch (error) {
        await rm(partial, { force: true }).catch(() => {})
        throw wrap(root, error)
      }
    },

    async get(name) {
      try {
        return await readFile(join(root, name))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT')
          throw new Missing(`${join(root, name)} is missing`)
        throw wrap(root, error)
      }
    },

    remove: (name) =>
      rm(join(root, name), { force: true }).catch((error: unknown) =>
        Promise.reject(wrap(root, error)),
      ),

    async settle() {
      const folders = [...unsettled]
      unsettled.clear()
      for (const name of folders)
        await syncDirectory(name).catch((error: unknown) => Promise.reject(wrap(root, error)))
    },

    sweep: () =>
      rm(join(root, PARTIAL), { recursive: true, force: true })
        .catch((error: unknown) => Promise.reject(wrap(root, error)))
        .then(() => void made.clear()),
  }
}
