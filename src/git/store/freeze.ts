/** Holds a store as it is at one moment, for a copy that takes longer than that. */
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
import { packDirectory } from './files.ts'

/**
 * Packs of a directory by name: whole ones, and those that are away (`away.ts`), of which the note
 * is held in place of the pack.
 */
function heldPacks(directory: string): string[] {
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
 * Another name for the same file; a copy where the file system has no such thing. False when the
 * file is gone.
 */
export function holdFile(from: string, to: string): boolean {
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
 * Gives the files of a store second names below `target`, so that maintenance and purges, of
 * whatever process, take nothing away from
 * whoever reads them there. Called again it adds what came since. All objects that were complete
 * when it was called are held:
 *
 * - the commit-graph comes first, because packs only ever gain what it names;
 * - maintenance installs a pack before it removes those that it replaces, so the packs are listed
 *   until all that are listed are held;
 * - a pack whose push is not settled yet is held as well, because its refs may have moved already.
 *
 * Gives false when there is no such store.
 */
export function freezeStore(directory: string, target: string): boolean {
  if (!existsSync(directory)) return false
  const packs = join(target, 'objects', 'pack')
  for (const part of [packs, join(target, 'objects', 'info'), join(target, 'refs')])
    mkdirSync(part, { recursive: true, mode: 0o700 })
  for (const name of ['HEAD', 'config', 'objects/info/commit-graph'])
    holdFile(join(directory, name), join(target, name))
  const held = new Set(heldPacks(target))
  for (;;) {
    const missing = heldPacks(directory).filter((name) => !held.has(name))
    if (missing.length === 0) return existsSync(directory)
    for (const name of missing) {
      const hold = (ending: string): boolean =>
        holdFile(join(packDirectory(directory), name + ending), join(packs, name + ending))
      for (const ending of ['.rev', '.bitmap', '.mtimes']) hold(ending)
      // The index last: with it the pack counts as whole.
      if ((hold('.pack') || hold('.away')) && hold('.idx')) held.add(name)
      else
        for (const ending of ['.rev', '.bitmap', '.mtimes', '.pack', '.away', '.idx'])
          rmSync(join(packs, name + ending), { force: true })
    }
  }
}
