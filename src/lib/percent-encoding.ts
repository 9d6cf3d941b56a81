/** Paths in which nothing is encoded, as most are. */
const PLAIN_PATH = /^[\w./~-]*$/

/** Encodes a path, such as the name of a branch or a file, as segments of an address: its slashes stay. */
export const encodePath = (path: string): string =>
  PLAIN_PATH.test(path) ? path : path.split('/').map(encodeURIComponent).join('/')

/**
 * Encodes a part of a path, and also the reserved characters that `encodeURIComponent` leaves (RFC
 * 3986, section 2.2): parentheses end the address of a Markdown link, and a shell gives all of them a
 * meaning.
 */
export const encodeReserved = (part: string): string =>
  encodeURIComponent(part).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Encodes a path for the address of a Markdown link, or for a line of a shell. */
export const encodeReservedPath = (path: string): string =>
  path.split('/').map(encodeReserved).join('/')
