/** Rebuilds the index and reverse index of a pack from the pack itself (as git-index-pack does). */
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { PackReceiver } from '../pack/pack-receiver.ts'
import { writeReceivedIndex } from '../pack/received-index.ts'
import type { DeltaResolver } from '../pack/delta-resolver.ts'
import { resolveDeltas } from '../pack/resolve-deltas.ts'
import { GitError } from '../ports.ts'
import { installPack, packDirectory, randomName, removePack } from '../store/store-files.ts'
import { removeQuietly, type Engine } from './engine.ts'
import type { Task } from './task.ts'

const BLOCK_BYTES = 1 << 20
/** Limits that accept every stored pack, whatever the current settings are. */
const UNBOUNDED_LIMITS = {
  maxPackBytes: Infinity,
  maxObjectBytes: 1 << 30,
  maxObjects: 0xffffffff,
  imported: true,
}

/**
 * Rebuilds the index; the pack gets a new name. Throws GitError `corrupt` when the pack itself is
 * damaged, and changes nothing then.
 */
export function* rebuildIndexTask(engine: Engine, name: string, pack: string): Task<void> {
  if (!/^pack-[0-9a-f]{40}$/.test(pack))
    throw new GitError('invalid', `"${pack}" is not a name for a pack`)
  const directory = engine.directory(name)
  const path = join(engine.settings.tmp, `rebuilt-${randomName()}`)
  const from = openSync(join(packDirectory(directory), `${pack}.pack`), 'r')
  const receiver = new PackReceiver(`${path}.pack`, UNBOUNDED_LIMITS)
  let resolver: DeltaResolver | null = null
  try {
    for (let at = 0; ; ) {
      const block = new Uint8Array(BLOCK_BYTES)
      const count = readSync(from, block, 0, BLOCK_BYTES, at)
      if (count === 0) break
      receiver.push(block.subarray(0, count))
      at += count
      yield 'pause'
    }
    receiver.end()
    receiver.close()
    resolver = yield* resolveDeltas(
      receiver,
      receiver.size - 20,
      {
        maxObjectBytes: UNBOUNDED_LIMITS.maxObjectBytes,
        memoryBytes: Math.max(16 << 20, engine.settings.memoryBudget / 8),
        boundsExpansion: false,
      },
      null,
    )
    const left = resolver.deltas - resolver.resolved
    if (left > 0 || receiver.checksum === null)
      throw new GitError('corrupt', `the pack has ${left} deltas without a base`)
    resolver.close()
    resolver = null
    writeReceivedIndex(`${path}.idx`, receiver.entries, receiver.links, receiver.checksum)
    installPack(directory, `${path}.pack`, `${path}.idx`, false)
    removePack(directory, pack)
  } finally {
    closeSync(from)
    receiver.close()
    resolver?.close()
    for (const ending of ['.pack', '.idx', '.rev']) removeQuietly(path + ending)
  }
}
