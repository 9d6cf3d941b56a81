/** Which names a ref may have (git-check-ref-format). */
import { GitError } from '../ports.ts'

const FORBIDDEN = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$|^\/|\.lock(?:\/|$)|(?:^|\/)\./

/** Whether a full ref name is well formed; it must have at least two parts. */
export const isRefName = (name: string): boolean => name.length <= 1024 && name.includes('/') && name !== '@' && !FORBIDDEN.test(name)

/** Throws GitError `invalid` naming the ref. */
export function requireRefName(name: string): void {
  if (!isRefName(name)) throw new GitError('invalid', `"${name.slice(0, 100)}" is not a valid ref name`)
}
