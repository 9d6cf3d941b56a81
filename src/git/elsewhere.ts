/**
 * Lets all work on a store wait until its packs are here, and tells the host when such work begins
 * and ends.
 */
import type { Elsewhere, Git } from './ports.ts'

/** What needs no pack: it says so itself when there is no such store. */
const FREE = [
  'createStore',
  'removeStore',
  'sizeOf',
  'advertise',
  'listRefs',
  'listRemote',
  'load',
  'close',
  'ready',
  'letGo',
] as const satisfies readonly (keyof Git)[]
/** What gives a stream, and what answers at once or not at all. */
const STREAMS = ['uploadPack', 'receivePack'] as const satisfies readonly (keyof Git)[]
const NOW = ['answerNow'] as const satisfies readonly (keyof Git)[]

type Placed = (typeof FREE | typeof STREAMS | typeof NOW)[number]
type Promising = {
  [K in keyof Git]: Git[K] extends (...args: never[]) => Promise<unknown> ? K : never
}[keyof Git]
/** Everything else gives a promise; a new function that does not must have its place above. */
true satisfies [Exclude<keyof Git, Placed | Promising>] extends [never] ? true : false

type Act = (store: string, ...args: unknown[]) => unknown
const isOf = (names: readonly string[], name: string): boolean => names.includes(name)

/** A stream that is only made when something has come. */
function afterwards(
  coming: Promise<void>,
  make: () => ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null
  let over = false
  return new ReadableStream<Uint8Array>({
    async start() {
      await coming
      if (!over) reader = make().getReader()
    },
    async pull(controller) {
      const next = await reader?.read()
      if (!next || next.done) controller.close()
      else controller.enqueue(next.value)
    },
    async cancel(reason) {
      over = true
      await reader?.cancel(reason)
    },
  })
}

/** Streams are counted by their tasks (`Threads`), everything else from its call to its answer. */
export function withElsewhere(git: Git, elsewhere: Elsewhere): Git {
  const all: Record<string, unknown> = { ...git, ready: (store: string) => elsewhere.ready(store) }
  for (const [name, act] of Object.entries(git) as [string, Act][]) {
    if (isOf(FREE, name)) continue
    if (isOf(NOW, name)) {
      all[name] = (store: string, ...args: unknown[]): unknown => {
        const coming = elsewhere.ready(store)
        if (coming === null) return act(store, ...args)
        // Whoever waits for the answer then hears why it does not come.
        coming.catch(() => {})
        return null
      }
    } else if (isOf(STREAMS, name)) {
      all[name] = (store: string, ...args: unknown[]): unknown => {
        const coming = elsewhere.ready(store)
        return coming === null
          ? act(store, ...args)
          : afterwards(coming, () => act(store, ...args) as ReadableStream<Uint8Array>)
      }
    } else {
      all[name] = async (store: string, ...args: unknown[]): Promise<unknown> => {
        const end = elsewhere.begin(store)
        try {
          const coming = elsewhere.ready(store)
          if (coming !== null) await coming
          return await act(store, ...args)
        } finally {
          end()
        }
      }
    }
  }
  return all as unknown as Git
}
