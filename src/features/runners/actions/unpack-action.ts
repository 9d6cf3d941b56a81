/** Writes the files of an archive of a repository (`tar.gz`) into an empty folder. */
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { gunzipFile } from '#lib/archives/gunzip-file.ts'
import { readTar } from '#lib/archives/tar.ts'

export const MAX_ACTION_FILES = 50_000
export const MAX_ACTION_BYTES = 1024 ** 3
/** With the headers of the files, and with the entries that are passed over. */
const MAX_UNPACKED_BYTES = MAX_ACTION_BYTES + MAX_ACTION_FILES * 4096

/**
 * Leaves out links, which could lead out of the folder. The first folder of the paths names the
 * repository and is cut off. Throws an Error with one line for the author.
 */
export async function unpackAction(archive: string, folder: string): Promise<void> {
  let files = 0
  let bytes = 0
  const known = new Set([folder])
  const unpacked = gunzipFile(archive, MAX_UNPACKED_BYTES)
  try {
    for await (const file of readTar(unpacked, { skipsOthers: true })) {
      bytes += file.size
      if (++files > MAX_ACTION_FILES || bytes > MAX_ACTION_BYTES)
        throw new Error(
          `it has more than ${MAX_ACTION_FILES} files, or more than ${MAX_ACTION_BYTES / 1024 ** 2} MiB`,
        )
      const target = join(folder, ...file.path.split('/').slice(1))
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
  } finally {
    await unpacked.return(undefined)
  }
}
