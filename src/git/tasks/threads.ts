/**
 * The host's side of the tasks: picks a thread, passes blocks on with backpressure, and turns
 * failures into errors.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { GitError } from '../ports.ts'
import { Engine, type EngineSettings } from './engine.ts'
import { errorOf, failureOf, Runner, type FromRunner, type ToRunner } from './runner.ts'

/** Bytes of output that may be under way to a reader. */
const CREDIT = 1 << 20

/** What the host hears of one task. */
type Listener = {
  readonly thread: Thread
  output(chunk: Uint8Array): void
  want(): void
  done(value: unknown): void
  failed(error: Error): void
}

type Thread = {
  post(message: ToRunner, transfer?: ArrayBuffer[]): void
  load: number
  /** Whether the process is to stay alive for this thread. */
  hold(on: boolean): void
  end(): void
}

/** A task that runs: feed it, take from it, or give it up. */
export type Handle<R> = {
  readonly result: Promise<R>
  /**
   * Resolves when the task takes the block; rejects when it has failed. The block must be a whole
   * buffer.
   */
  input(chunk: Uint8Array | null): Promise<void>
  /** Gives the task up; `late` gets its value when it was done before it heard of that. */
  cancel(late?: (value: R) => void): void
}

export class Threads {
  private readonly threads: Thread[] = []
  private readonly listeners = new Map<number, Listener>()
  private nextId = 1
  /** Work that tasks had others do for them; it ends with them. */
  private readonly children = new Map<number, Handle<unknown>[]>()
  private running = 0
  private idle: (() => void)[] = []
  private closed = false

  constructor(
    private readonly settings: EngineSettings,
    private readonly count: number,
    private readonly onFault: (message: string, fields: Record<string, unknown>) => void,
    /** Told when a task of a store begins; what it gives is called at its end. */
    private readonly begin: ((store: string) => () => void) | null = null,
  ) {
    if (count === 0) this.threads.push(this.localThread())
    else for (let i = 0; i < count; i++) this.threads.push(this.workerThread())
  }

  /** Starts a task that gives one value. */
  async call<R>(name: string, args: unknown): Promise<R> {
    return await this.start<R>(name, args, () => {}).result
  }

  /**
   * Starts a task; its output goes to `output`, which owns each block with its buffer, and calls
   * `taken` when it has been passed on.
   */
  start<R>(
    name: string,
    args: unknown,
    output: (chunk: Uint8Array, taken: () => void) => void,
    notOn: Thread | null = null,
  ): Handle<R> {
    if (this.closed && notOn === null) throw new GitError('aborted', 'the engine is closed')
    const id = this.nextId++
    const free = this.threads.filter((other) => other !== notOn)
    const thread = free.reduce((best, other) => (other.load < best.load ? other : best))
    if (thread.load++ === 0) thread.hold(true)
    this.running++
    let wanted: (() => void) | null = null
    let refuse: ((error: Error) => void) | null = null
    /** Wishes for input that came before there was any. */
    let wishes = 0
    let failure: Error | null = null
    let over = false
    const store = (args as { store?: unknown } | null)?.store
    const end = this.begin !== null && typeof store === 'string' ? this.begin(store) : null
    const settle = () => {
      if (over) return
      over = true
      end?.()
      this.listeners.delete(id)
      for (const child of this.children.get(id) ?? []) child.cancel()
      this.children.delete(id)
      if (--thread.load === 0) thread.hold(false)
      if (--this.running === 0) for (const wake of this.idle.splice(0)) wake()
    }
    const result = new Promise<R>((resolve, reject) => {
      this.listeners.set(id, {
        thread,
        output: (chunk) => {
          // Whoever takes it may have given its memory back by then.
          const bytes = chunk.length
          output(chunk, () => thread.post({ kind: 'credit', id, bytes }))
        },
        want: () => {
          if (wanted === null) wishes++
          else {
            const wake = wanted
            wanted = refuse = null
            wake()
          }
        },
        done: (value) => {
          settle()
          resolve(value as R)
          refuse?.(new GitError('aborted', 'the task wants no more input'))
        },
        failed: (error) => {
          failure = error
          settle()
          reject(error)
          refuse?.(error)
        },
      })
    })
    result.catch(() => {})
    thread.post({ kind: 'start', id, name, args, credit: CREDIT })
    return {
      result,
      input: async (chunk) => {
        if (wishes > 0) wishes--
        else {
          await new Promise<void>((resolve, reject) => {
            if (failure !== null) reject(failure)
            else if (over) reject(new GitError('aborted', 'the task wants no more input'))
            wanted = resolve
            refuse = reject
          })
        }
        thread.post(
          { kind: 'input', id, chunk },
          chunk === null ? [] : [chunk.buffer as ArrayBuffer],
        )
      },
      cancel: (late) => {
        if (over) return
        thread.post({ kind: 'cancel', id })
        this.listeners.get(id)?.failed(new GitError('aborted', 'the work was given up'))
        // Exactly one more message comes: that the task was given up, or that it was done already.
        const after = (act: () => void) => () => {
          this.listeners.delete(id)
          act()
        }
        const nothing = () => {}
        this.listeners.set(id, {
          thread,
          output: nothing,
          want: nothing,
          done: (value) => after(() => late?.(value as R))(),
          failed: after(nothing),
        })
      },
    }
  }

  /** Tells every thread to close a store's files. */
  forget(store: string): void {
    for (const thread of this.threads) thread.post({ kind: 'forget', store })
  }

  /** Tells every thread that packs of a store were taken away. */
  refresh(store: string): void {
    for (const thread of this.threads) thread.post({ kind: 'refresh', store })
  }

  /** Waits for what runs, then ends the threads. */
  async close(): Promise<void> {
    this.closed = true
    if (this.running > 0) await new Promise<void>((resolve) => this.idle.push(resolve))
    for (const thread of this.threads) thread.end()
    this.threads.length = 0
  }

  private hear(message: FromRunner): void {
    const listener = this.listeners.get(message.id)
    if (!listener) return
    if (message.kind === 'output') listener.output(message.chunk)
    else if (message.kind === 'want') listener.want()
    else if (message.kind === 'ask') this.delegate(message, listener.thread)
    else if (message.kind === 'done') listener.done(message.value)
    else if (message.code !== null) listener.failed(new GitError(message.code, message.message))
    else {
      this.onFault(message.message, { stack: message.stack })
      listener.failed(errorOf(message))
    }
  }

  /** Has another thread do what a task asks for, and brings the answer back. */
  private delegate(
    { id, ask, name, args }: Extract<FromRunner, { kind: 'ask' }>,
    asker: Thread,
  ): void {
    const handle = this.start<unknown>(name, args, (_, taken) => taken(), asker)
    const list = this.children.get(id) ?? []
    this.children.set(id, list)
    list.push(handle)
    handle.result.then(
      (value) => asker.post({ kind: 'answer', id, ask, value, failure: null }),
      (error: unknown) =>
        asker.post({ kind: 'answer', id, ask, value: null, failure: failureOf(error) }),
    )
  }

  private localThread(): Thread {
    const engine = new Engine(this.settings)
    // Answers come later, as they do from a worker: a caller is never called back while it still
    // calls.
    const runner = new Runner(engine, (message) => queueMicrotask(() => this.hear(message)), 0)
    return {
      post: (message) => runner.receive(message),
      load: 0,
      hold: () => {},
      end: () => engine.close(),
    }
  }

  private workerThread(): Thread {
    let worker = this.spawn(() => replace())
    const thread: Thread = {
      post: (message, transfer) => worker.postMessage(message, transfer ?? []),
      load: 0,
      hold: (on) => (on ? worker.ref() : worker.unref()),
      end: () => worker.terminate(),
    }
    // A worker that falls over takes its tasks with it, and no more: the next one starts afresh.
    const replace = () => {
      worker.terminate()
      worker = this.spawn(replace)
      for (const listener of [...this.listeners.values()]) {
        if (listener.thread === thread)
          listener.failed(new Error('a worker of the git engine failed'))
      }
    }
    return thread
  }

  private spawn(onFault: () => void): CountedWorker {
    const worker = new Worker(workerUrl()) as CountedWorker
    worker.onmessage = (event: MessageEvent<FromRunner>) => this.hear(event.data)
    worker.onerror = (event) => {
      this.onFault('a worker failed', { reason: event.message })
      onFault()
    }
    worker.unref()
    worker.postMessage({ kind: 'settings', settings: this.settings, others: this.count - 1 })
    return worker
  }
}

/** The types know browsers' workers; these also keep a process alive, or not. */
type CountedWorker = Worker & { ref(): void; unref(): void }

/**
 * Where the worker's code is: beside this room in the source tree; in a compiled executable, whose
 * modules are merged into one at the root, at its own path below `src`.
 */
function workerUrl(): URL {
  const source = new URL('../engine.worker.ts', import.meta.url)
  if (existsSync(fileURLToPath(source))) return source
  return new URL('./git/engine.worker.js', import.meta.url)
}
