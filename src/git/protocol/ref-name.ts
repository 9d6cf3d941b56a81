/** Checks ref names (git-check-ref-format). */

const FORBIDDEN = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$|^\/|\.lock(?:\/|$)|(?:^|\/)\./

/**
 * Whether a full ref name is well formed; it has at least two components. A lone surrogate has no
 * bytes in UTF-8, so it would be stored as another name.
 */
export const isRefName = (name: string): boolean =>
  name.length <= 1024 &&
  name.includes('/') &&
  name !== '@' &&
  name.isWellFormed() &&
  !FORBIDDEN.test(name)
