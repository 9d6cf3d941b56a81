/** A file in an archive. `data` has to be read to its end before the next file. */
export type ArchivedFile = {
  /** Relative, with slashes. */
  readonly path: string
  readonly isExecutable: boolean
  readonly size: number
  readonly data: AsyncIterable<Uint8Array>
}

const MAX_PATH_BYTES = 4_000
const MAX_NAME_BYTES = 255

/** Why a path cannot be that of a file in a folder; null when it can. */
export function findPathFault(path: string): string | null {
  if (path === '' || path.startsWith('/') || path.includes('\0') || path.includes('\\'))
    return 'is no path in an archive'
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return 'is too long'
  for (const name of path.split('/')) {
    if (name === '' || name === '.' || name === '..') return 'leads out of the archive'
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) return 'has a name that is too long'
  }
  return null
}

/** Throws an Error for a path that leads elsewhere. */
export function requireSafePath(path: string): void {
  const fault = findPathFault(path)
  if (fault !== null) throw new Error(`The path ${JSON.stringify(path.slice(0, 200))} ${fault}`)
}
