/**
 * Files in tar streams. What is written has regular files alone. The sandbox packs and unpacks
 * those, so no link in an archive leads the server anywhere.
 */
import { requireSafePath, type ArchivedFile } from './archived-file.ts'
import { readTarEntries, writeTarEntries, type TarEntry } from './tar-entries.ts'

const EXECUTABLE_BITS = 0o111

function pathOf({ path }: TarEntry): string {
  const clean = path.replace(/^(?:\.\/)+/, '')
  requireSafePath(clean)
  return clean
}

export type TarReading = {
  readonly skipsOthers?: boolean
  /** Called for a symbolic link, before later files. */
  readonly onLink?: (path: string, target: string) => void
}

/**
 * Reads regular files. Throws for paths that lead out of the archive, and for anything that is no
 * file, unless `skipsOthers`: then folders, links and comments are passed over.
 */
export async function* readTar(
  source: AsyncIterable<Uint8Array>,
  { skipsOthers = false, onLink }: TarReading = {},
): AsyncGenerator<ArchivedFile> {
  for await (const entry of readTarEntries(source)) {
    const { kind, mode, size, data } = entry
    if (kind === 'file')
      yield { path: pathOf(entry), isExecutable: (mode & EXECUTABLE_BITS) !== 0, size, data }
    else if (kind === 'symbolic' && onLink) onLink(pathOf(entry), entry.link)
    else if (!skipsOthers) throw new Error('the archive has something that is no file')
  }
}

async function* entriesOf(files: AsyncIterable<ArchivedFile>): AsyncGenerator<TarEntry> {
  for await (const { path, isExecutable, size, data } of files) {
    requireSafePath(path)
    const mode = isExecutable ? 0o755 : 0o644
    yield { kind: 'file', path, link: '', mode, uid: 0, gid: 0, modified: 0, size, data }
  }
}

/** Writes files as a tar stream. Throws when a file is not as long as it says. */
export const writeTar = (files: AsyncIterable<ArchivedFile>): AsyncGenerator<Uint8Array> =>
  writeTarEntries(entriesOf(files))
