/**
 * Copies bytes into memory of their own. `Buffer.slice` returns a view but `Uint8Array.slice` a
 * copy; this name is unambiguous.
 */
export const copyBytes = (bytes: Uint8Array, from = 0, to = bytes.length): Uint8Array =>
  new Uint8Array(bytes.subarray(from, to))
