// SHA-256 (FIPS 180-4) of a short text. `crypto.subtle` is missing on pages without encryption and
// is asynchronous, which costs too much for 65,000 digests.

const ROUND_CONSTANTS = Array.from({ length: 64 }, () => 0)
const INITIAL_STATE = Array.from({ length: 8 }, () => 0)
for (let prime = 2, found = 0; found < 64; prime++) {
  let isPrime = true
  for (let factor = 2; factor * factor <= prime; factor++) if (prime % factor === 0) isPrime = false
  if (!isPrime) continue
  if (found < 8) INITIAL_STATE[found] = (Math.sqrt(prime) * 2 ** 32) | 0
  ROUND_CONSTANTS[found++] = (Math.cbrt(prime) * 2 ** 32) | 0
}
const rotateRight = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

/** The first 32 bits of the digest of an ASCII text. */
export function firstDigestWord(text: string): number {
  const bytes = new Uint8Array((((text.length + 8) >> 6) + 1) << 6)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  bytes[text.length] = 128
  const view = new DataView(bytes.buffer)
  view.setUint32(bytes.length - 4, text.length * 8)
  const state = [...INITIAL_STATE]
  const words = new Int32Array(64)
  for (let block = 0; block < bytes.length; block += 64) {
    for (let i = 0; i < 64; i++) {
      if (i < 16) words[i] = view.getInt32(block + i * 4)
      else {
        const [a, b] = [words[i - 15] ?? 0, words[i - 2] ?? 0]
        words[i] =
          (words[i - 16] ?? 0) +
          (rotateRight(a, 7) ^ rotateRight(a, 18) ^ (a >>> 3)) +
          (words[i - 7] ?? 0) +
          (rotateRight(b, 17) ^ rotateRight(b, 19) ^ (b >>> 10))
      }
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
    for (let i = 0; i < 64; i++) {
      const one =
        (h +
          (rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)) +
          ((e & f) ^ (~e & g)) +
          (ROUND_CONSTANTS[i] ?? 0) +
          (words[i] ?? 0)) |
        0
      const two =
        ((rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) +
          ((a & b) ^ (a & c) ^ (b & c))) |
        0
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0]
    }
    ;[a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = ((state[i] ?? 0) + word) | 0))
  }
  return (state[0] ?? 0) >>> 0
}
