/**
 * A copy with memory of its own. `Buffer.slice` gives a view, `Uint8Array.slice` a copy: this says
 * which one is meant.
 */
export const copyBytes = (bytes: Uint8Array, from = 0, to = bytes.length): Uint8Array =>
  new Uint8Array(bytes.subarray(from, to))
