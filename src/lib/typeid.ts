/**
 * TypeIDs (https://github.com/jetify-com/typeid, specification 0.3): `<prefix>_<26 characters>`.
 * The characters are a UUID version 7 (RFC 9562 section 5.7) in Crockford base32. So ids sort by
 * the time of their creation.
 */

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const VALUES = new Map([...ALPHABET].map((letter, value) => [letter, value]))

/** 26 characters for 16 bytes. The first character holds the top three bits: `0` to `7`. */
export function encodeSuffix(bytes: Uint8Array): string {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  let text = ''
  for (let i = 0; i < 26; i++) {
    text = ALPHABET[Number(value & 31n)] + text
    value >>= 5n
  }
  return text
}

/** The 16 bytes of a suffix; null when it is invalid. */
export function decodeSuffix(suffix: string): Uint8Array | null {
  if (suffix.length !== 26 || suffix[0]! > '7') return null
  let value = 0n
  for (const letter of suffix) {
    const digit = VALUES.get(letter)
    if (digit === undefined) return null
    value = (value << 5n) | BigInt(digit)
  }
  const bytes = new Uint8Array(16)
  for (let i = 15; i >= 0; i--) {
    bytes[i] = Number(value & 255n)
    value >>= 8n
  }
  return bytes
}

/** The end of the year 9999. */
const MAX_TIME_MS = 253_402_300_799_999

/** The values of the 12-bit counter. */
const MAX_SEQUENCE = 0xfff

/**
 * UUIDs of version 7. The 12 bits after the time are a counter (RFC 9562 section 6.2, method 1). So
 * ids sort in the order of their creation.
 */
class UuidSequence {
  #lastMs = 0
  #counter = 0

  /** A new UUID for a time in milliseconds. */
  next(nowMs: number): Uint8Array {
    const bytes = crypto.getRandomValues(new Uint8Array(16))
    if (nowMs > this.#lastMs) {
      this.#lastMs = nowMs
      this.#counter = ((bytes[6]! & 0x07) << 8) | bytes[7]!
    } else if (++this.#counter > MAX_SEQUENCE) {
      this.#lastMs++
      this.#counter = 0
    }
    writeTime(bytes, this.#lastMs)
    bytes[6] = 0x70 | (this.#counter >> 8)
    bytes[7] = this.#counter & 255
    bytes[8] = 0x80 | (bytes[8]! & 0x3f)
    return bytes
  }

  continueAfter(timeMs: number): void {
    // A later time is invalid, and the counter would run out of values from there.
    if (timeMs < this.#lastMs || timeMs > MAX_TIME_MS) return
    this.#lastMs = timeMs + 1
    this.#counter = 0
  }

  reset(): void {
    this.#lastMs = 0
    this.#counter = 0
  }
}

/** The sequence belongs to the process, because ids of all its forges must be unique. */
const sequence = new UuidSequence()

/** Writes a time in milliseconds into the first six bytes, the most significant first. */
function writeTime(bytes: Uint8Array, timeMs: number): void {
  let rest = timeMs
  for (let i = 5; i >= 0; i--) {
    bytes[i] = rest % 256
    rest = Math.floor(rest / 256)
  }
}

/** Resets the sequence, for tests with a clock of their own. */
export const resetIdSequence = (): void => sequence.reset()

/**
 * Makes later ids sort after this one, also when the clock was set back since. Text that is no id
 * changes nothing.
 */
export function continueAfter(id: string): void {
  const timeMs = timeOf(id)
  if (timeMs !== null) sequence.continueAfter(timeMs)
}

/** An id with a prefix. `core/ids.ts` lists the prefixes of Hearth. */
export type TypeId<P extends string = string> = `${P}_${string}`

const ORDERS_PER_MS = MAX_SEQUENCE + 1

/**
 * An id for a time in the past, outside of the sequence. Of ids of one second, that with the lower
 * `order` sorts first: it counts from the beginning of `timeMs` on.
 */
export function typeIdAt<P extends string>(prefix: P, timeMs: number, order: number): TypeId<P> {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const place = order % (1000 * ORDERS_PER_MS)
  writeTime(bytes, Math.min(MAX_TIME_MS, timeMs + Math.floor(place / ORDERS_PER_MS)))
  bytes[6] = 0x70 | ((place % ORDERS_PER_MS) >> 8)
  bytes[7] = place & 255
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return `${prefix}_${encodeSuffix(bytes)}`
}

export const typeId = <P extends string>(prefix: P, now: number): TypeId<P> =>
  `${prefix}_${encodeSuffix(sequence.next(now))}`

/**
 * The parts of a TypeID; null when it is malformed. A prefix is at most 63 of `a-z` and `_`, and
 * does not begin or end with `_`.
 */
export function parseTypeId(text: string): { prefix: string; bytes: Uint8Array } | null {
  const cut = text.lastIndexOf('_')
  if (cut === 0) return null
  const prefix = cut < 0 ? '' : text.slice(0, cut)
  if (prefix !== '' && !/^[a-z]([a-z_]{0,61}[a-z])?$/.test(prefix)) return null
  const bytes = decodeSuffix(text.slice(cut + 1))
  return bytes && { prefix, bytes }
}

/** The time of an id in milliseconds; null for text that is no id. */
export function timeOf(id: string): number | null {
  const bytes = decodeSuffix(id.slice(id.lastIndexOf('_') + 1))
  return bytes?.subarray(0, 6).reduce((time, byte) => time * 256 + byte, 0) ?? null
}

/** The lowest id of a time. Later ids sort after it. Earlier ids sort before it. */
export function lowestIdAt<P extends string>(prefix: P, time: string): TypeId<P> {
  const bytes = new Uint8Array(16)
  writeTime(bytes, Math.max(0, Date.parse(time)))
  return `${prefix}_${encodeSuffix(bytes)}`
}

export function isTypeId<P extends string>(text: string, prefix: P): text is TypeId<P> {
  return text.startsWith(`${prefix}_`) && decodeSuffix(text.slice(prefix.length + 1)) !== null
}
