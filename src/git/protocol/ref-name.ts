/** Which names a ref may have (git-check-ref-format). */

const FORBIDDEN = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$|^\/|\.lock(?:\/|$)|(?:^|\/)\./

/** Whether a full ref name is well formed; it must have at least two parts. */
export const isRefName = (name: string): boolean =>
  name.length <= 1024 && name.includes('/') && name !== '@' && !FORBIDDEN.test(name)
