/** Packs made by hand, sound and unsound. */
import zlib from 'node:zlib'
import { hashObject } from '../../../src/git/object.ts'
import {
  packHeader,
  typeCode,
  writeBaseDistance,
  writeEntryHeader,
} from '../../../src/git/pack/entry-header.ts'
import type { ObjectType } from '../../../src/git/ports.ts'

export type MadeEntry =
  | { readonly type: ObjectType; readonly data: Uint8Array | string; readonly size?: number }
  | { readonly base: string; readonly delta: Uint8Array }
  | { readonly distance: number; readonly delta: Uint8Array }

/** A pack of these entries; `tamper` may change its bytes before the checksum is put at the end. */
export function makePack(
  entries: readonly MadeEntry[],
  options: { count?: number; tamper?: (bytes: Buffer) => void } = {},
): Buffer {
  const parts: Uint8Array[] = [packHeader(options.count ?? entries.length)]
  for (const entry of entries) {
    const head = new Uint8Array(64)
    if ('type' in entry) {
      const data = Buffer.from(entry.data)
      parts.push(
        head.subarray(
          0,
          writeEntryHeader(head, 0, typeCode(entry.type), entry.size ?? data.length),
        ),
        zlib.deflateSync(data),
      )
    } else if ('base' in entry) {
      const at = writeEntryHeader(head, 0, 7, entry.delta.length)
      parts.push(
        head.subarray(0, at),
        Buffer.from(entry.base, 'hex'),
        zlib.deflateSync(entry.delta),
      )
    } else {
      const at = writeBaseDistance(
        head,
        writeEntryHeader(head, 0, 6, entry.delta.length),
        entry.distance,
      )
      parts.push(head.subarray(0, at), zlib.deflateSync(entry.delta))
    }
  }
  const body = Buffer.concat(parts)
  options.tamper?.(body)
  return Buffer.concat([body, Bun.SHA1.hash(body) as Uint8Array])
}

/**
 * A delta that replaces everything: `result` inserted, whatever the base of `baseSize` bytes holds.
 */
export function insertDelta(
  baseSize: number,
  result: Uint8Array | string,
  resultSize?: number,
): Buffer {
  const bytes = Buffer.from(result)
  const parts: Buffer[] = [varint(baseSize), varint(resultSize ?? bytes.length)]
  for (let at = 0; at < bytes.length; at += 127) {
    const part = bytes.subarray(at, at + 127)
    parts.push(Buffer.from([part.length]), part)
  }
  return Buffer.concat(parts)
}

/** A delta that copies the whole base. */
export function copyDelta(size: number): Buffer {
  return Buffer.concat([
    varint(size),
    varint(size),
    Buffer.from([0x80 | 0x10 | 0x20, size & 0xff, size >> 8]),
  ])
}

export function varint(value: number): Buffer {
  const bytes: number[] = []
  do {
    const rest = Math.floor(value / 128)
    bytes.push((value % 128) | (rest > 0 ? 0x80 : 0))
    value = rest
  } while (value > 0)
  return Buffer.from(bytes)
}

export const treeBytes = (
  ...entries: readonly [mode: string, name: string | Uint8Array, oid: string][]
): Buffer =>
  Buffer.concat(
    entries.map(([mode, name, oid]) =>
      Buffer.concat([
        Buffer.from(`${mode} `),
        Buffer.from(name),
        Buffer.from([0]),
        Buffer.from(oid, 'hex'),
      ]),
    ),
  )

export const commitText = (
  tree: string,
  parents: readonly string[] = [],
  message = 'a change\n',
  time = 1_600_000_000,
): string =>
  [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author A <a@b.c> ${time} +0000`,
    `committer A <a@b.c> ${time} +0000`,
    '',
    message,
  ].join('\n')

export const idOf = (type: ObjectType, data: Uint8Array | string): string =>
  hashObject(type, Buffer.from(data))
