/** What people download: a folder in a `.tar.gz`, the same bytes for the same files. */
import { finished } from 'node:stream/promises'
import { createWriteStream } from 'node:fs'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'

export type Entry = { readonly name: string; readonly bytes: Uint8Array; readonly mode: number }

/** Writes the entries in their order, all of one moment (seconds) and of no user. */
export async function writeArchive(
  path: string,
  folder: string,
  entries: readonly Entry[],
  epoch: number,
): Promise<void> {
  const tar = pack()
  const out = createWriteStream(path)
  tar.pipe(createGzip({ level: 9 })).pipe(out)
  const common = { mtime: new Date(epoch * 1000), uid: 0, gid: 0, uname: 'root', gname: 'root' }
  tar.entry({ ...common, name: `${folder}/`, type: 'directory', mode: 0o755 })
  for (const { name, bytes, mode } of entries) {
    await new Promise<void>((resolve, reject) => {
      tar.entry(
        { ...common, name: `${folder}/${name}`, mode },
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        (error) => (error ? reject(error) : resolve()),
      )
    })
  }
  tar.finalize()
  await finished(out)
}
