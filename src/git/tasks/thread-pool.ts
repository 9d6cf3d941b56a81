/**
 * The host's side of the tasks. The pool picks a thread for each task, passes input and output on
 * with backpressure, and converts failures to errors.
 */
import { LentBytes } from '#lib/pieces.ts'
import { IdleTimer } from '#lib/threads/idle-timer.ts'
import { SHARED_BLOCK_BYTES, sharedBlocks } from '#lib/threads/shared-blocks.ts'
import { WorkerThread } from '#lib/threads/worker.ts'
import type { EngineWorkerMessage } from '../engine.worker.ts'
import { GitError } from '../ports.ts'
import { Engine, type EngineSettings } from './engine.ts'
import { MAX_BLOCKS_OF_TASK, type LentBlock } from './lent-blocks.ts'
import { createMemoryCells, reclaimThread, type MemoryCells } from './memory-budget.ts'
import {
  errorOf,
  failureOf,
  TaskRunner,
  type RunnerEvent,
  type RunnerRequest,
} from './task-runner.ts'

/** Bytes of output on the way to a reader before the task waits. */
const OUTPUT_CREDIT_BYTES = 2 * SHARED_BLOCK_BYTES

/** Receives the events of one task. */
type TaskListener = {
  readonly thread: Thread
  output(chunk: Uint8Array, borrows: boolean): void
  lentOutput(block: number, length: number): void
  /** Called when the task has ended and writes nothing any more. */
  takeBack(): void
  /** Called when its thread failed, which may still write for a moment. */
  abandonBlocks(): void
  inputWanted(): void
  done(value: unknown): void
  failed(error: Error): void
}

type Thread = {
  post(message: RunnerRequest, transfer?: ArrayBuffer[]): void
  /** Number of running tasks. */
  load: number
  /** Called when its load is no longer zero. */
  begin(): void
  /** Called when its load is zero again. The thread ends when that lasts, until its next task. */
  rest(): void
  isRunning(): boolean
  end(): void
}

/** A running task. */
export type TaskHandle<R> = {
  readonly result: Promise<R>
  /**
   * Passes a block of input, or null at the end. Resolves when the task accepts it and rejects when
   * the task has ended. The block must fill its buffer, which is transferred.
   */
  input(chunk: Uint8Array | null): Promise<void>
  /** Cancels the task. `late` receives its value if the task ended before it was cancelled. */
  cancel(late?: (value: R) => void): void
}

type OutputReceiver = (chunk: Uint8Array, taken: () => void) => void

/** The host's side of one task: its input, output and result. */
class PoolTask<R> implements TaskListener, TaskHandle<R> {
  readonly result: Promise<R>
  private readonly completion = Promise.withResolvers<R>()
  /** The waiting block of input, until the task requests it. */
  private waitingInput: { accept: () => void; refuse: (error: Error) => void } | null = null
  /** Requests for input that arrived before the input. */
  private inputRequests = 0
  private error: Error | null = null
  private isOver = false
  /** Blocks that the task has, by their numbers. */
  private readonly lent = new Map<number, SharedArrayBuffer>()
  /** Blocks of output that the receiver has. */
  private readonly received = new Set<SharedArrayBuffer>()
  private lentCount = 0

  constructor(
    private readonly id: number,
    readonly thread: Thread,
    private readonly receiveOutput: OutputReceiver,
    /** Called once, when the task has ended or was cancelled. */
    private readonly onEnd: () => void,
    /** Receives the events of this id from now on. */
    private readonly replaceListener: (listener: TaskListener | null) => void,
  ) {
    this.result = this.completion.promise
    this.result.catch(() => {})
  }

  output(chunk: Uint8Array, borrows: boolean): void {
    // The receiver may have released the chunk's memory before it calls `taken`.
    const bytes = chunk.length
    this.receiveOutput(chunk, () => this.giveCredit(bytes, borrows ? this.lend() : null))
  }

  /** A receiver that keeps the chunk does not release it, and the task does without the block. */
  lentOutput(block: number, length: number): void {
    const memory = this.lent.get(block)
    if (memory === undefined) throw new Error(`block ${block} is not lent`)
    this.lent.delete(block)
    this.received.add(memory)
    const chunk = new LentBytes(memory, 0, length)
    let isTaken = false
    this.receiveOutput(chunk, () => {
      // A second call would lend the block twice, and the task would write while a reader has it.
      if (isTaken) return
      isTaken = true
      this.received.delete(memory)
      const isFree = chunk.isReleased && !sharedBlocks.isCondemned(memory)
      if (!isFree) sharedBlocks.forget(memory)
      else if (this.isOver) sharedBlocks.release(memory)
      else this.lent.set(block, memory)
      this.giveCredit(length, isFree && !this.isOver ? { block, memory: null } : null)
    })
  }

  takeBack(): void {
    for (const memory of this.lent.values()) sharedBlocks.release(memory)
    this.lent.clear()
  }

  abandonBlocks(): void {
    for (const memory of this.lent.values()) sharedBlocks.condemn(memory)
    this.lent.clear()
  }

  /** A block for a task whose output is large. */
  private lend(): LentBlock | null {
    if (this.isOver || this.lentCount === MAX_BLOCKS_OF_TASK) return null
    const memory = sharedBlocks.take()
    if (memory === null) return null
    const block = this.lentCount++
    this.lent.set(block, memory)
    return { block, memory }
  }

  private giveCredit(bytes: number, lent: LentBlock | null): void {
    this.thread.post({ kind: 'credit', id: this.id, bytes, lent })
  }

  inputWanted(): void {
    if (this.waitingInput === null) this.inputRequests++
    else {
      const { accept } = this.waitingInput
      this.waitingInput = null
      accept()
    }
  }

  done(value: unknown): void {
    this.end()
    this.completion.resolve(value as R)
    this.waitingInput?.refuse(new GitError('aborted', 'the task wants no more input'))
  }

  failed(error: Error): void {
    this.error = error
    this.end()
    this.completion.reject(error)
    this.waitingInput?.refuse(error)
  }

  async input(chunk: Uint8Array | null): Promise<void> {
    if (this.inputRequests > 0) this.inputRequests--
    else {
      await new Promise<void>((accept, refuse) => {
        if (this.error !== null) refuse(this.error)
        else if (this.isOver) refuse(new GitError('aborted', 'the task wants no more input'))
        this.waitingInput = { accept, refuse }
      })
    }
    this.thread.post(
      { kind: 'input', id: this.id, chunk },
      chunk === null ? [] : [chunk.buffer as ArrayBuffer],
    )
  }

  cancel(late?: (value: R) => void): void {
    if (this.isOver) return
    this.thread.post({ kind: 'cancel', id: this.id })
    this.failed(new GitError('aborted', 'the work was given up'))
    // Exactly one more event comes: that the task was cancelled, or that it was done already.
    this.replaceListener({
      thread: this.thread,
      output: () => {},
      // Its memory stays with the task until the end.
      lentOutput: () => {},
      takeBack: () => this.takeBack(),
      abandonBlocks: () => this.abandonBlocks(),
      inputWanted: () => {},
      done: (value) => {
        this.replaceListener(null)
        late?.(value as R)
      },
      failed: () => this.replaceListener(null),
    })
  }

  private end(): void {
    if (this.isOver) return
    this.isOver = true
    for (const memory of this.received) sharedBlocks.letGo(memory)
    this.onEnd()
  }
}

export class ThreadPool {
  private readonly threads: Thread[] = []
  private readonly listeners = new Map<number, TaskListener>()
  private nextId = 1
  /** Tasks that other tasks delegated. They end with their parent. */
  private readonly children = new Map<number, TaskHandle<unknown>[]>()
  private running = 0
  private idle: (() => void)[] = []
  private closed = false
  private readonly cells: MemoryCells

  constructor(
    private readonly settings: EngineSettings,
    private readonly count: number,
    private readonly onFault: (message: string, fields: Record<string, unknown>) => void,
    /** Called when a task of a store begins. A function that it returns is called at its end. */
    private readonly begin: ((store: string) => (() => void) | null) | null = null,
    /** How long a thread stays without tasks. */
    private readonly idleMs?: number,
  ) {
    this.cells = createMemoryCells(Math.max(1, count))
    if (count === 0) this.threads.push(this.localThread())
    else for (let i = 0; i < count; i++) this.threads.push(this.workerThread(i))
  }

  /** Threads that are there. They start with their first task. */
  get runningThreads(): number {
    return this.threads.filter(({ isRunning }) => isRunning()).length
  }

  /** Runs a task without output and returns its result. */
  async call<R>(name: string, args: unknown): Promise<R> {
    return await this.start<R>(name, args, () => {}).result
  }

  /**
   * Starts a task. `output` receives each block, owns its buffer, and calls `taken` when the block
   * was passed on. The task does not run on the thread `notOn`.
   */
  start<R>(
    name: string,
    args: unknown,
    output: OutputReceiver,
    notOn: Thread | null = null,
  ): TaskHandle<R> {
    if (this.closed && notOn === null) throw new GitError('aborted', 'the engine is closed')
    const id = this.nextId++
    const free = this.threads.filter((other) => other !== notOn)
    const thread = free.reduce((best, other) => (other.load < best.load ? other : best))
    if (thread.load++ === 0) thread.begin()
    this.running++
    const store = (args as { store?: unknown } | null)?.store
    const endUse = this.begin !== null && typeof store === 'string' ? this.begin(store) : null
    const task = new PoolTask<R>(
      id,
      thread,
      output,
      () => {
        endUse?.()
        this.taskEnded(id, thread)
      },
      (listener) => {
        if (listener === null) this.listeners.delete(id)
        else this.listeners.set(id, listener)
      },
    )
    this.listeners.set(id, task)
    thread.post({ kind: 'start', id, name, args, credit: OUTPUT_CREDIT_BYTES })
    return task
  }

  private taskEnded(id: number, thread: Thread): void {
    this.listeners.delete(id)
    for (const child of this.children.get(id) ?? []) child.cancel()
    this.children.delete(id)
    if (--thread.load === 0) thread.rest()
    if (--this.running > 0) return
    for (const wake of this.idle.splice(0)) wake()
  }

  /** Tells every thread to close a store's files. */
  forget(store: string): void {
    for (const thread of this.threads) thread.post({ kind: 'forget', store })
  }

  /** Tells every thread that packs of a store were removed. */
  refresh(store: string): void {
    for (const thread of this.threads) thread.post({ kind: 'refresh', store })
  }

  /** Waits for the running tasks, then ends the threads. */
  async close(): Promise<void> {
    this.closed = true
    if (this.running > 0) await new Promise<void>((resolve) => this.idle.push(resolve))
    for (const thread of this.threads) thread.end()
    this.threads.length = 0
  }

  /** Whether an event of a task is still to come from a thread; tasks that were cancelled count. */
  private isAwaited(thread: Thread): boolean {
    for (const listener of this.listeners.values()) if (listener.thread === thread) return true
    return false
  }

  private dispatch(message: RunnerEvent): void {
    const listener = this.listeners.get(message.id)
    if (!listener) return
    if (message.kind === 'done' || message.kind === 'failed') listener.takeBack()
    if (message.kind === 'output') listener.output(message.chunk, message.borrows)
    else if (message.kind === 'lent output') listener.lentOutput(message.block, message.length)
    else if (message.kind === 'want') listener.inputWanted()
    else if (message.kind === 'ask') this.delegate(message, listener.thread)
    else if (message.kind === 'done') listener.done(message.value)
    else if (message.code !== null) listener.failed(new GitError(message.code, message.message))
    else {
      this.onFault(message.message, { stack: message.stack })
      listener.failed(errorOf(message))
    }
  }

  /** Runs a delegated task on another thread and returns its result to the parent. */
  private delegate(
    { id, ask, name, args }: Extract<RunnerEvent, { kind: 'ask' }>,
    parent: Thread,
  ): void {
    const handle = this.start<unknown>(name, args, (_, taken) => taken(), parent)
    const list = this.children.get(id) ?? []
    this.children.set(id, list)
    list.push(handle)
    handle.result.then(
      (value) => parent.post({ kind: 'answer', id, ask, value, failure: null }),
      (error: unknown) =>
        parent.post({ kind: 'answer', id, ask, value: null, failure: failureOf(error) }),
    )
  }

  private localThread(): Thread {
    const engine = new Engine(this.settings, this.cells)
    // Events are delivered later, as from a worker, so no caller is called back during its call.
    const runner = new TaskRunner(
      engine,
      (message) => queueMicrotask(() => this.dispatch(message)),
      0,
    )
    return {
      post: (message) => runner.receive(message),
      load: 0,
      begin: () => {},
      rest: () => {},
      isRunning: () => true,
      end: () => engine.close(),
    }
  }

  private failTasks(thread: Thread): void {
    for (const listener of [...this.listeners.values()]) {
      if (listener.thread !== thread) continue
      listener.abandonBlocks()
      listener.failed(new Error('a worker of the git engine failed'))
    }
  }

  private workerThread(number: number): Thread {
    /** Whether the thread that runs now has worked at all. */
    let hasWorked = false
    const worker = new WorkerThread<RunnerEvent, EngineWorkerMessage>({
      code: 'git/engine.worker',
      greeting: {
        kind: 'settings',
        settings: this.settings,
        others: this.count - 1,
        cells: this.cells,
        thread: number,
      },
      onMessage: (message) => {
        hasWorked = true
        this.dispatch(message)
      },
      // Only the tasks of this thread fail. Another thread takes its place at once, but one that
      // cannot even begin (no memory, no threads left) is tried again only with the next task:
      // starting threads in a loop would take what the others need.
      onFailure: (reason) => {
        this.onFault('a worker failed', { reason })
        reclaimThread(this.cells, number)
        if (hasWorked) worker.start()
        hasWorked = false
        this.failTasks(thread)
      },
    })
    const thread: Thread = {
      post: (message, transfer) => {
        // All but a start is about a task of a running thread, or about the files that it opened.
        if (message.kind === 'start' || worker.isRunning) worker.post(message, transfer)
      },
      load: 0,
      begin: () => {
        idleTimer.stop()
        worker.keepProcessAlive(true)
      },
      rest: () => {
        worker.keepProcessAlive(false)
        idleTimer.start()
      },
      isRunning: () => worker.isRunning,
      end: () => {
        idleTimer.stop()
        worker.terminate()
      },
    }
    const idleTimer = new IdleTimer({
      idleMs: this.idleMs,
      isAwaited: () => this.isAwaited(thread),
      end: () => {
        worker.retire({ kind: 'end' })
        hasWorked = false
      },
    })
    return thread
  }
}
