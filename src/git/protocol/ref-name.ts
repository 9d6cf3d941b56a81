/** Checks ref names (git-check-ref-format). */

const FORBIDDEN = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$|^\/|\.lock(?:\/|$)|(?:^|\/)\./

/** Whether a full ref name is well formed; it has at least two components. */
export const isRefName = (name: string): boolean =>
  name.length <= 1024 && name.includes('/') && name !== '@' && !FORBIDDEN.test(name)
