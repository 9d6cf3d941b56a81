/**
 * Maintenance of stores (`tasks/maintain.ts`), one round per store at a time. A thread writes the
 * new packs; the old ones are removed here, in one synchronous step with a last look at the refs.
 */
import { nextTurn } from '#lib/waiting.ts'
import type { Leases } from './leases.ts'
import { isOid, oidsToBytes } from './object.ts'
import type { Git, MaintainOptions, Oid } from './ports.ts'
import { OidMap } from './store/oid-map.ts'
import { directorySize, removePack } from './store/store-files.ts'
import type { Engine } from './tasks/engine.ts'
import type { MaintainOptions as TaskOptions, MaintenanceResult } from './tasks/maintain.ts'
import type { ThreadPool } from './tasks/thread-pool.ts'

/**
 * The distinct ids of `parts`, 20 bytes each. The event loop gets a turn after each part. Throws
 * the signal's reason when it is aborted.
 */
async function collectRawIds(
  parts: Iterable<readonly Oid[]>,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const ids = new OidMap()
  const raw = Buffer.alloc(20)
  for (const part of parts) {
    for (const oid of part) if (isOid(oid) && raw.write(oid, 'hex') === 20) ids.add(raw, 0)
    await nextTurn()
    signal?.throwIfAborted()
  }
  return ids.bytes.slice()
}

type MaintenanceContext = {
  readonly engine: Engine
  readonly threads: ThreadPool
  readonly leases: Leases
  /** Closes the files of a store in all threads. */
  readonly closeFiles: (store: string) => void
}

export class Maintenance {
  /** The round that runs for a store. */
  readonly #rounds = new Map<string, Promise<void>>()

  constructor(private readonly context: MaintenanceContext) {}

  /** See `Git.maintain`. */
  async run(
    store: string,
    tips: readonly Oid[],
    options: MaintainOptions = {},
  ): ReturnType<Git['maintain']> {
    for (let round = this.#rounds.get(store); round; round = this.#rounds.get(store)) await round
    options.signal?.throwIfAborted()
    const over = Promise.withResolvers<void>()
    this.#rounds.set(store, over.promise)
    try {
      return await this.#runRound(store, tips, options)
    } finally {
      this.#rounds.delete(store)
      over.resolve()
    }
  }

  async #runRound(
    store: string,
    tips: readonly Oid[],
    { retained, readCurrentTips, signal, ...rest }: MaintainOptions,
  ): ReturnType<Git['maintain']> {
    const { engine, threads, leases, closeFiles } = this.context
    // Leases and refs are read in the same turn of the event loop. Otherwise a push that ends in
    // between would be in neither.
    const leased = leases.rawOf(store)
    // Refs may have moved since the call: fetching an offloaded store can take minutes.
    const named = readCurrentTips ? [...new Set([...tips, ...readCurrentTips()])] : tips
    const kept = await collectRawIds(retained ?? [], signal)
    const args = [oidsToBytes(named), { ...rest, leased, kept } satisfies TaskOptions]
    const handle = threads.start<MaintenanceResult>('maintain', { store, args }, () => {})
    const cancel = () => handle.cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      const { obsoletePacks, dropped, ...result } = await handle.result
      if (obsoletePacks.length === 0) return { ...result, dropped }
      // No other code runs from here to the end of `finally`. So a ref that exists now is the last
      // that could name an object of the removed packs.
      const before = new Set(named)
      const added = (readCurrentTips?.() ?? []).filter((oid) => !before.has(oid))
      const removed = this.#removeUnlessNamed(store, obsoletePacks, [...added, ...leases.of(store)])
      return {
        ...result,
        packs: removed ? result.packs - obsoletePacks.length : result.packs,
        bytes: directorySize(engine.directory(store)),
        dropped: removed ? dropped : 0,
      }
    } finally {
      signal?.removeEventListener('abort', cancel)
      // The disk space of a removed pack is free only when no thread has it open.
      closeFiles(store)
    }
  }

  /**
   * Removes the obsolete packs, unless one of them holds the only copy of a named object. Returns
   * whether they were removed.
   */
  #removeUnlessNamed(
    store: string,
    obsoletePacks: readonly string[],
    named: readonly Oid[],
  ): boolean {
    const { engine } = this.context
    engine.refresh(store)
    const { objects } = engine.store(store)
    const remaining = objects.packs.filter((pack) => !obsoletePacks.includes(pack.name))
    const isInRemaining = (oid: Oid): boolean => {
      const raw = Buffer.from(oid, 'hex')
      return remaining.some((pack) => (pack.indexOrNull?.find(raw, 0) ?? -1) >= 0)
    }
    if (new Set(named).values().some((oid) => !isInRemaining(oid) && objects.has(oid))) return false
    for (const pack of obsoletePacks) removePack(engine.directory(store), pack)
    return true
  }
}
