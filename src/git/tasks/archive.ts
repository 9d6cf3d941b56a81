/** Streams an archive in blocks of 64 KiB. */
import { archive } from '../history/index.ts'
import type { ArchiveOptions, Oid } from '../ports.ts'
import type { OpenStore } from './open-store.ts'
import type { Task } from './task.ts'

const BLOCK_BYTES = 1 << 16

export function* archiveTask(store: OpenStore, commit: Oid, options: ArchiveOptions): Task<void> {
  store.objects.pin()
  store.objects.refresh()
  try {
    let block = new Uint8Array(BLOCK_BYTES)
    let at = 0
    for (const chunk of archive(store.objects, commit, options)) {
      if (chunk.length === 0) yield 'pause'
      for (let from = 0; from < chunk.length; ) {
        const part = Math.min(BLOCK_BYTES - at, chunk.length - from)
        block.set(chunk.subarray(from, from + part), at)
        at += part
        from += part
        if (at === BLOCK_BYTES) {
          yield block
          block = new Uint8Array(BLOCK_BYTES)
          at = 0
        }
      }
    }
    if (at > 0) yield block.slice(0, at)
  } finally {
    store.objects.unpin()
  }
}
