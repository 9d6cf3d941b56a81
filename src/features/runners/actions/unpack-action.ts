/** Writes the files of an archive of a repository (`tar.gz`) into an empty folder. */
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ArchivedFile } from '#lib/archives/archived-file.ts'
import { gunzipFile } from '#lib/archives/gunzip-file.ts'
import { readTar } from '#lib/archives/tar.ts'

export const MAX_ACTION_FILES = 50_000
export const MAX_ACTION_BYTES = 1024 ** 3
/** With the headers of the files, and with the entries that are passed over. */
const MAX_UNPACKED_BYTES = MAX_ACTION_BYTES + MAX_ACTION_FILES * 4096

/**
 * Writes files into an empty folder. `partsOf` says where, as parts of a path; none for a file that
 * cannot be there. Throws an Error with one line for the author.
 */
export async function writeFiles(
  files: AsyncIterable<ArchivedFile>,
  folder: string,
  partsOf: (path: string) => readonly string[],
): Promise<void> {
  let count = 0
  let bytes = 0
  const known = new Set([folder])
  for await (const file of files) {
    bytes += file.size
    if (++count > MAX_ACTION_FILES || bytes > MAX_ACTION_BYTES)
      throw new Error(
        `it has more than ${MAX_ACTION_FILES} files, or more than ${MAX_ACTION_BYTES / 1024 ** 2} MiB`,
      )
    const target = join(folder, ...partsOf(file.path))
    if (target === folder) throw new Error('its archive has a file outside of a folder')
    const parent = dirname(target)
    // Other users read them, whatever the umask of the server is.
    if (!known.has(parent)) {
      await mkdir(parent, { recursive: true, mode: 0o755 })
      known.add(parent)
    }
    const mode = file.isExecutable ? 0o755 : 0o644
    await pipeline(file.data, createWriteStream(target, { flags: 'wx', mode }))
  }
}

/**
 * Leaves out links, which could lead out of the folder. The first folder of the paths names the
 * repository and is cut off. Throws an Error with one line for the author.
 */
export async function unpackAction(archive: string, folder: string): Promise<void> {
  const unpacked = gunzipFile(archive, MAX_UNPACKED_BYTES)
  try {
    const files = readTar(unpacked, { skipsOthers: true })
    await writeFiles(files, folder, (path) => path.split('/').slice(1))
  } finally {
    await unpacked.return(undefined)
  }
}
