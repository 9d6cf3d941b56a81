/**
 * Repositories have SHA-1 ids here. Current clients compare the capability `object-format` and stop
 * by themselves; what older ones and other programs send gets a clear error.
 */
import { GitError } from '../ports.ts'

const unsupported = (format: string): GitError =>
  new GitError(
    'unsupported',
    `mismatched object format: server sha1; client ${format}. Repositories with ${format} ids are not supported here: convert yours to sha1`,
  )

/** Throws GitError `unsupported` for a capability `object-format=` other than sha1. */
export function requireSha1Format(capability: string): void {
  const [name, format = ''] = capability.split('=', 2)
  if (name === 'object-format' && format !== 'sha1') throw unsupported(format.slice(0, 40))
}

/** Throws GitError `unsupported` for text that begins with a SHA-256 id. */
export function requireNoSha256Id(text: string): void {
  if (/^[0-9a-f]{64}(?![0-9a-f])/.test(text)) throw unsupported('sha256')
}
