/** Writes chosen objects of a store as one pack on disk with its index, for maintenance and export. */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import type { ObjectStore } from '../store/object-store.ts'
import { writeDurably } from '../store/files.ts'
import type { OidMap } from '../store/oid-map.ts'
import { PackBuilder } from './build.ts'
import { buildIndex, writeAll } from './index-writer.ts'
import { planPack } from './plan.ts'

const BLOCK = 1 << 20

/** Writes `<path>.pack` and `<path>.idx`, both synced; gives the count of objects. Pauses now and then. */
export function* writePackFile(store: ObjectStore, chosen: OidMap, path: string): Generator<'pause', number, unknown> {
  const parts = planPack(store, chosen)
  const fd = openSync(`${path}.pack`, 'wx', 0o444)
  try {
    const hasher = new Bun.CryptoHasher('sha1')
    const block = new Uint8Array(BLOCK)
    let filled = 0
    const flush = () => {
      hasher.update(block.subarray(0, filled))
      writeAll(fd, block.subarray(0, filled))
      filled = 0
    }
    const sink = {
      put(bytes: Uint8Array, from: number, to: number) {
        while (from < to) {
          const part = Math.min(BLOCK - filled, to - from)
          block.set(bytes.subarray(from, from + part), filled)
          filled += part
          from += part
          if (filled === BLOCK) flush()
        }
      },
    }
    const crcs = new Uint32Array(chosen.size)
    const offsets = new Float64Array(chosen.size).fill(-1)
    const builder = new PackBuilder(store, chosen, parts, { ofsDelta: true, known: null }, sink, (object, offset, crc) => {
      crcs[object] = crc
      offsets[object] = offset
    })
    let last = 0
    const due = () => builder.done - last >= 512
    for (const _ of builder.run(due)) {
      last = builder.done
      yield 'pause'
    }
    flush()
    const checksum = new Uint8Array(hasher.digest() as Uint8Array)
    writeAll(fd, checksum)
    fsyncSync(fd)
    writeDurably(`${path}.idx`, buildIndex(written(chosen, crcs, offsets), checksum))
    return builder.total
  } finally {
    closeSync(fd)
  }
}

/** The rows of the objects that were written; the empty tree may be chosen without being stored. */
function written(chosen: OidMap, crcs: Uint32Array, offsets: Float64Array) {
  const oids = chosen.bytes
  if (!offsets.includes(-1)) return { count: chosen.size, oids, crcs, offsets }
  const rows = [...offsets.keys()].filter((row) => offsets[row]! >= 0)
  return {
    count: rows.length,
    oids: Buffer.concat(rows.map((row) => oids.subarray(row * 20, row * 20 + 20))),
    crcs: Uint32Array.from(rows, (row) => crcs[row]!),
    offsets: Float64Array.from(rows, (row) => offsets[row]!),
  }
}
