/** A worker thread of the engine. Its messages are those of `tasks/task-runner.ts`. */
import { garbageCollector } from '#lib/threads/garbage.ts'
import { lowerThreadPriority, NICENESS } from '#lib/threads/thread.ts'
import { Engine, type EngineSettings } from './tasks/engine.ts'
import type { MemoryCells } from './tasks/memory-budget.ts'
import { TaskRunner, type RunnerEvent, type RunnerRequest } from './tasks/task-runner.ts'

lowerThreadPriority(NICENESS.engine)

declare const self: {
  close(): void
  onmessage: ((event: MessageEvent<EngineWorkerMessage>) => void) | null
}

/** Milliseconds of work between two collections of garbage: walks allocate many small objects. */
const MAX_WORK_MS = 250

/** The first message; `others` is the number of other threads. */
type Start = {
  readonly kind: 'settings'
  readonly settings: EngineSettings
  readonly others: number
  /** Counters of memory, shared by all threads, and the number of this thread. */
  readonly cells: MemoryCells
  readonly thread: number
}
/** The last message: the thread closes its files and ends. */
type End = { readonly kind: 'end' }
export type EngineWorkerMessage = Start | RunnerRequest | End

function send(event: RunnerEvent): void {
  // The task no longer needs a block of output, so its memory is moved instead of copied.
  if (event.kind === 'output') postMessage(event, [event.chunk.buffer as ArrayBuffer])
  else postMessage(event)
}

function start({ settings, others, cells, thread }: Start): void {
  const engine = new Engine(settings, cells, thread)
  const runner = new TaskRunner(engine, send, others, garbageCollector(MAX_WORK_MS))
  self.onmessage = ({ data }) => {
    if (data.kind === 'end') {
      engine.close()
      self.close()
    } else if (data.kind !== 'settings') runner.receive(data)
  }
}

self.onmessage = ({ data }) => {
  if (data.kind === 'settings') start(data)
}
