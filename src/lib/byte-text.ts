/**
 * Texts of bytes. Node's Buffer has these methods for any Uint8Array. A view of the bytes for
 * `toString` takes four times as long and becomes garbage.
 */
const { hexSlice, latin1Slice, utf8Slice } = Buffer.prototype as unknown as Record<
  'hexSlice' | 'latin1Slice' | 'utf8Slice',
  (this: Uint8Array, from: number, to: number) => string
>

/** Two digits for each byte. */
export const bytesToHex = (bytes: Uint8Array, from: number, to: number): string =>
  hexSlice.call(bytes, from, to)

/** One character for each byte. */
export const bytesToLatin1 = (bytes: Uint8Array, from: number, to: number): string =>
  latin1Slice.call(bytes, from, to)

/** Text in UTF-8. Bytes that are none become U+FFFD. */
export const bytesToUtf8 = (bytes: Uint8Array, from: number, to: number): string =>
  utf8Slice.call(bytes, from, to)
