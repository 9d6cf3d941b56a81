/**
 * For hosts that offload packs: every function of the engine waits until the packs of its store are
 * on this disk, and pins the store while it works (`GitOptions.remotePacks`).
 */
import type { Git, RemotePacks } from './ports.ts'

/** Functions that read no pack. */
const WITHOUT_PACKS = [
  'createStore',
  'removeStore',
  'sizeOf',
  'advertise',
  'listRefs',
  'listRemote',
  'load',
  'close',
  'ensureLocal',
  'closeFiles',
] as const satisfies readonly (keyof Git)[]
/** Functions that return a stream. The tasks behind it pin the store (`ThreadPool`). */
const STREAMS = ['uploadPack', 'receivePack'] as const satisfies readonly (keyof Git)[]
/** Functions that return null when they cannot respond at once. */
const SYNCHRONOUS = ['uploadPackSync'] as const satisfies readonly (keyof Git)[]

type Listed = (typeof WITHOUT_PACKS | typeof STREAMS | typeof SYNCHRONOUS)[number]
type Asynchronous = {
  [K in keyof Git]: Git[K] extends (...args: never[]) => Promise<unknown> ? K : never
}[keyof Git]
/** All other functions return a promise. A new one that does not must be listed above. */
true satisfies [Exclude<keyof Git, Listed | Asynchronous>] extends [never] ? true : false

type StoreFunction = (store: string, ...args: unknown[]) => unknown
const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name)

/** A stream that is created once `coming` resolves. */
function streamAfter(
  coming: Promise<void>,
  create: () => ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null
  let isCancelled = false
  return new ReadableStream<Uint8Array>({
    async start() {
      await coming
      if (!isCancelled) reader = create().getReader()
    },
    async pull(controller) {
      const next = await reader?.read()
      if (!next || next.done) controller.close()
      else controller.enqueue(next.value)
    },
    async cancel(reason) {
      isCancelled = true
      await reader?.cancel(reason)
    },
  })
}

/** Wraps one function by the kind of its result. */
function wrap(name: string, run: StoreFunction, packs: RemotePacks): StoreFunction {
  if (isOneOf(WITHOUT_PACKS, name)) return run
  if (isOneOf(SYNCHRONOUS, name))
    return (store, ...args) => {
      const coming = packs.restoreStore(store)
      if (coming === null) return run(store, ...args)
      // The asynchronous function that the caller uses next throws the error, if any.
      coming.catch(() => {})
      return null
    }
  if (isOneOf(STREAMS, name))
    return (store, ...args) => {
      const coming = packs.restoreStore(store)
      return coming === null
        ? run(store, ...args)
        : streamAfter(coming, () => run(store, ...args) as ReadableStream<Uint8Array>)
    }
  return async (store, ...args) => {
    const unpin = packs.beginUse(store)
    try {
      const coming = packs.restoreStore(store)
      if (coming !== null) await coming
      return await run(store, ...args)
    } finally {
      unpin()
    }
  }
}

export function waitForRemotePacks(git: Git, packs: RemotePacks): Git {
  const wrapped: Record<string, StoreFunction> = {}
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(git))
  for (const name of names as (keyof Git)[]) {
    const run = git[name] as StoreFunction
    if (String(name) !== 'constructor') wrapped[name] = wrap(name, run.bind(git), packs)
  }
  wrapped.ensureLocal = (store) => packs.restoreStore(store)
  return wrapped as unknown as Git
}
