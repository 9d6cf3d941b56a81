/** Takes a snapshot of a store with hard links, for a copy that takes longer than a moment. */
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { packDirectory } from './store-files.ts'

/**
 * Returns the names of the packs in a directory. For an offloaded pack (`offloaded-packs.ts`) the
 * snapshot has the note instead of the pack.
 */
function listSnapshotPacks(directory: string): string[] {
  const packs = packDirectory(directory)
  if (!existsSync(packs)) return []
  const names = new Set(readdirSync(packs))
  return [...names].flatMap((file) => {
    const name = file.slice(0, -4)
    return file.endsWith('.idx') && (names.has(`${name}.pack`) || names.has(`${name}.away`))
      ? [name]
      : []
  })
}

/**
 * Creates a hard link, or a copy where the file system has no hard links. Returns false when the
 * file no longer exists.
 */
export function linkOrCopyFile(from: string, to: string): boolean {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    if (code === 'EEXIST') return true
  }
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/**
 * Links the files of a store below `target`, so that maintenance and purges of any process cannot
 * remove them from the snapshot's reader. A repeated call adds what is new. The snapshot has all
 * objects that were complete when the call began:
 *
 * - The commit-graph is linked first, because later packs still have every commit that it names.
 * - Maintenance installs a pack before it removes the packs that it replaces. So the packs are
 *   listed until all listed ones are linked.
 * - A pending pack is linked as well, because its refs may have moved already.
 * - The file `shallow` is linked last, because it is written before a pack that needs it.
 *
 * Returns false when the store does not exist.
 */
export function snapshotStore(directory: string, target: string): boolean {
  if (!existsSync(directory)) return false
  const packs = join(target, 'objects', 'pack')
  for (const part of [packs, join(target, 'objects', 'info'), join(target, 'refs')])
    mkdirSync(part, { recursive: true, mode: 0o700 })
  for (const name of ['HEAD', 'config', 'objects/info/commit-graph'])
    linkOrCopyFile(join(directory, name), join(target, name))
  const linked = new Set(listSnapshotPacks(target))
  for (;;) {
    const missing = listSnapshotPacks(directory).filter((name) => !linked.has(name))
    if (missing.length === 0) break
    for (const name of missing) {
      const link = (ending: string): boolean =>
        linkOrCopyFile(join(packDirectory(directory), name + ending), join(packs, name + ending))
      for (const ending of ['.rev', '.bitmap', '.mtimes']) link(ending)
      // The index last: a pack counts as complete with its index.
      if ((link('.pack') || link('.away')) && link('.idx')) linked.add(name)
      else
        for (const ending of ['.rev', '.bitmap', '.mtimes', '.pack', '.away', '.idx'])
          rmSync(join(packs, name + ending), { force: true })
    }
  }
  rmSync(join(target, 'shallow'), { force: true })
  linkOrCopyFile(join(directory, 'shallow'), join(target, 'shallow'))
  return existsSync(directory)
}
