/**
 * Licences and sources of the programs in the executable that are not ours. The license of
 * bubblewrap, LGPL 2.0 or later, asks that both come with the program; all that builds it does.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files by their paths below a folder of the release. */
export function sandboxSources(root: string): { path: string; bytes: Uint8Array }[] {
  const folder = join(root, 'assets', 'sandbox')
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.bin'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ path: path.slice(folder.length + 1), bytes: readFileSync(path) }))
    .concat({
      path: 'build-sandbox.ts',
      bytes: readFileSync(join(root, 'scripts', 'build-sandbox.ts')),
    })
}
