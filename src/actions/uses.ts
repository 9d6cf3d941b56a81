/** What `uses` names. */
import { normalize } from 'node:path/posix'
import { trimSlashes } from '#lib/trim-slashes.ts'

export type Uses =
  /** The path begins with `..` where it leads out of the repository. */
  | { readonly kind: 'local'; readonly path: string }
  | { readonly kind: 'docker'; readonly image: string }
  | {
      readonly kind: 'repository'
      readonly owner: string
      readonly repo: string
      /** Within the repository, without slashes at its ends; empty for its root. */
      readonly path: string
      readonly ref: string
    }

/** A step's `uses`, or a job's; null when it is none. */
export function parseUses(text: string): Uses | null {
  if (text.startsWith('docker://')) {
    const image = text.slice('docker://'.length)
    return image === '' ? null : { kind: 'docker', image }
  }
  if (text.startsWith('./') || text.startsWith('.\\') || text.startsWith('$/')) {
    return { kind: 'local', path: joinedPath(text.slice(2)) }
  }
  const at = text.lastIndexOf('@')
  if (at < 0) return null
  const [owner, repo, ...rest] = text.slice(0, at).split('/')
  const ref = text.slice(at + 1)
  const path = cleanPath(rest.join('/'))
  const isName = (name: string | undefined): name is string =>
    name !== undefined && /^[A-Za-z0-9_.-]{1,100}$/.test(name) && name !== '.' && name !== '..'
  if (!isName(owner) || !isName(repo) || path === null || ref === '' || /\s/.test(ref)) return null
  return { kind: 'repository', owner, repo, path, ref }
}

/** A path from the workspace, which steps may leave. Without empty parts. */
function joinedPath(path: string): string {
  const joined = trimSlashes(normalize(path.replaceAll('\\', '/')))
  return joined === '.' ? '' : joined
}

/** A path without empty parts; null when it leaves its root. */
function cleanPath(path: string): string | null {
  const parts = path
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  return parts.includes('..') ? null : parts.join('/')
}

/** Whether a reusable workflow can be called that way. */
export const isWorkflowFile = (path: string): boolean =>
  /^\.(?:hearth|github)\/workflows\/[^/]+\.ya?ml$/.test(path)
