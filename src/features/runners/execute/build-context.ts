/** The files that an image is built from, in a folder that the job cannot change. */
import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ArchivedFile } from '#lib/archives/archived-file.ts'
import { readTar } from '#lib/archives/tar.ts'
import { writeFiles } from '../actions/unpack-action.ts'
import type { JobWorkplace } from './job-workplace.ts'
import { quote } from './shells.ts'

/**
 * Copies a folder that steps see. The sandbox reads it, so no link of the job leads the server
 * elsewhere. Returns the hash of what is in it. Throws an Error with one line for the author.
 */
export async function copyBuildContext(
  place: JobWorkplace,
  from: string,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const links = new Map<string, string>()
  const lines: string[] = []
  // Both tar of GNU and of busybox pass the folder `.git` over.
  const pack = `exec tar -cf - -C ${quote(from)} --exclude=./.git . 2>/dev/null`
  const { bytes, close } = place.stream(pack, {}, signal)
  try {
    const options = {
      skipsOthers: true,
      onLink: (path: string, target: string) => void links.set(path, target),
    }
    await writeFiles(hashFiles(readTar(bytes, options), lines), folder, (path) => path.split('/'))
  } finally {
    await close()
  }
  // Nothing is ever written through them.
  for (const [path, target] of links) {
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o755 })
    await symlink(target, join(folder, path))
    lines.push(JSON.stringify([path, 'link', target]))
  }
  return new Bun.CryptoHasher('sha256').update(lines.toSorted().join('\n')).digest('hex')
}

/** Passes files on, and adds a line for each to `lines`. */
async function* hashFiles(
  files: AsyncIterable<ArchivedFile>,
  lines: string[],
): AsyncGenerator<ArchivedFile> {
  for await (const file of files) {
    const hasher = new Bun.CryptoHasher('sha256')
    yield { ...file, data: hashBytes(file.data, hasher) }
    lines.push(JSON.stringify([file.path, file.isExecutable, hasher.digest('hex')]))
  }
}

async function* hashBytes(
  bytes: AsyncIterable<Uint8Array>,
  hasher: Bun.CryptoHasher,
): AsyncGenerator<Uint8Array> {
  for await (const part of bytes) {
    hasher.update(part)
    yield part
  }
}
