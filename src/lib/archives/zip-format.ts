/** The parts of zip archives that do not depend on their files (PKWARE APPNOTE 6.3.10). */

/** Larger numbers stand in fields of 64 bits, with this in their place. */
export const LIMIT_32 = 0xffffffff
const LIMIT_16 = 0xffff
/** Made on Unix, by version 4.5 of the format. */
export const UNIX_45 = (3 << 8) | 45

/** The extra field of numbers that need 64 bits (4.5.3). */
export function zip64Field(values: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * values.length)
  field.writeUInt16LE(0x0001, 0)
  field.writeUInt16LE(8 * values.length, 2)
  values.forEach((value, n) => field.writeBigUInt64LE(BigInt(value), 4 + 8 * n))
  return field
}

/** What a central directory of `count` files has: its offset and its length in bytes. */
type CentralDirectory = { readonly count: number; readonly start: number; readonly length: number }

/** The end of an archive (4.3.14 to 4.3.16), with its comment. */
export function zipEndRecords(
  { count, start, length }: CentralDirectory,
  comment: Buffer = Buffer.alloc(0),
): Buffer {
  const parts: Buffer[] = []
  if (count >= LIMIT_16 || start >= LIMIT_32 || length >= LIMIT_32) {
    const record = Buffer.alloc(56)
    record.writeUInt32LE(0x06064b50, 0)
    record.writeBigUInt64LE(44n, 4)
    record.writeUInt16LE(UNIX_45, 12)
    record.writeUInt16LE(45, 14)
    record.writeBigUInt64LE(BigInt(count), 24)
    record.writeBigUInt64LE(BigInt(count), 32)
    record.writeBigUInt64LE(BigInt(length), 40)
    record.writeBigUInt64LE(BigInt(start), 48)
    const locator = Buffer.alloc(20)
    locator.writeUInt32LE(0x07064b50, 0)
    locator.writeBigUInt64LE(BigInt(start + length), 8)
    locator.writeUInt32LE(1, 16)
    parts.push(record, locator)
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, LIMIT_16), 8)
  end.writeUInt16LE(Math.min(count, LIMIT_16), 10)
  end.writeUInt32LE(Math.min(length, LIMIT_32), 12)
  end.writeUInt32LE(Math.min(start, LIMIT_32), 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...parts, end, comment])
}
