/**
 * Runs the tasks of one thread in time slices and reports on them in messages. Output waits for
 * credit and input is requested block by block. So neither a slow client nor a slow disk makes
 * buffers grow.
 */
import { GitError } from '../ports.ts'
import type { Engine } from './engine.ts'
import { BorrowedBlocks, type LentBlock } from './lent-blocks.ts'
import { taskRegistry } from './task-registry.ts'
import type { DelegatedTask, TaskHelpers, Task } from './task.ts'

export type RunnerRequest =
  | {
      readonly kind: 'start'
      readonly id: number
      readonly name: string
      readonly args: unknown
      readonly credit: number
    }
  /** A block of input, or null at its end. */
  | { readonly kind: 'input'; readonly id: number; readonly chunk: Uint8Array | null }
  /** The receiver has consumed this many bytes of output. The task may fill a block again. */
  | {
      readonly kind: 'credit'
      readonly id: number
      readonly bytes: number
      readonly lent: LentBlock | null
    }
  | { readonly kind: 'cancel'; readonly id: number }
  /** The result of a delegated task. `code` is null when the failure is no GitError. */
  | {
      readonly kind: 'answer'
      readonly id: number
      readonly ask: number
      readonly value: unknown
      readonly failure: TaskFailure | null
    }
  /** Closes a store's files, or lists its packs again. */
  | { readonly kind: 'forget'; readonly store: string }
  | { readonly kind: 'refresh'; readonly store: string }

export type RunnerEvent =
  /** `borrows`: the task can use lent blocks. */
  | {
      readonly kind: 'output'
      readonly id: number
      readonly chunk: Uint8Array
      readonly borrows: boolean
    }
  /** Output in a lent block. */
  | {
      readonly kind: 'lent output'
      readonly id: number
      readonly block: number
      readonly length: number
    }
  /** The task requests the next block of input. */
  | { readonly kind: 'want'; readonly id: number }
  /** The task delegates work to another thread. */
  | {
      readonly kind: 'ask'
      readonly id: number
      readonly ask: number
      readonly name: string
      readonly args: unknown
    }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | ({ readonly kind: 'failed'; readonly id: number } & TaskFailure)

/**
 * `code` is null for a failure that is no GitError. `system` is then the system's error code, such
 * as ENOSPC.
 */
export type TaskFailure = {
  readonly code: GitError['code'] | null
  readonly message: string
  readonly stack?: string
  readonly system?: string
}

/** Converts an error to a value for messages between threads. */
export function failureOf(error: unknown): TaskFailure {
  if (error instanceof GitError) return { code: error.code, message: error.message }
  const system = (error as { code?: unknown } | null)?.code
  return {
    code: null,
    message: error instanceof Error ? error.message : String(error),
    ...(typeof system === 'string' ? { system } : {}),
  }
}

/** Converts a failure back to an error. */
export const errorOf = ({ code, message, system }: TaskFailure): Error =>
  code !== null
    ? new GitError(code, message)
    : system === undefined
      ? new Error(message)
      : Object.assign(new Error(message), { code: system })

type RunningTask = {
  readonly id: number
  readonly task: Task<unknown>
  credit: number
  state: 'ready' | 'waiting' | 'full'
  input: { chunk: Uint8Array | null } | null
  readonly delegated: Map<number, DelegatedTask<unknown>>
  readonly blocks: BorrowedBlocks
}

/**
 * Milliseconds that a task runs before the next one. A short query waits at most this long for each
 * running task.
 */
const TIME_SLICE_MS = 4
/** Milliseconds until a task that yielded 'retry' runs again. */
const RETRY_MS = 20

export class TaskRunner {
  private readonly tasks = new Map<number, RunningTask>()
  private scheduled = false

  constructor(
    private readonly engine: Engine,
    private readonly send: (message: RunnerEvent) => void,
    /** Number of other threads. */
    private readonly otherThreads: number,
    /** Called after each time slice with its milliseconds. */
    private readonly afterSlice: (workedMs: number) => void = () => {},
  ) {}

  receive(message: RunnerRequest): void {
    if (message.kind === 'forget' || message.kind === 'refresh') {
      if (message.kind === 'forget') this.engine.forget(message.store)
      else this.engine.refresh(message.store)
      return
    }
    if (message.kind === 'start') {
      this.start(message.id, message.name, message.args, message.credit)
      return
    }
    const running = this.tasks.get(message.id)
    if (!running) return
    if (message.kind === 'cancel') {
      this.tasks.delete(message.id)
      this.abandon(running)
      this.fail(message.id, new GitError('aborted', 'the work was given up'))
    } else if (message.kind === 'answer') {
      const delegated = running.delegated.get(message.ask)
      if (delegated) {
        const { failure } = message
        delegated.value = message.value
        if (failure !== null) delegated.error = errorOf(failure)
        delegated.settled = true
      }
      if (running.state === 'waiting') running.state = 'ready'
    } else if (message.kind === 'credit') {
      running.credit += message.bytes
      if (message.lent !== null) running.blocks.add(message.lent)
      if (running.state === 'full' && running.credit > 0) running.state = 'ready'
    } else {
      running.input = { chunk: message.chunk }
      if (running.state === 'waiting') running.state = 'ready'
    }
    this.schedule()
  }

  private start(id: number, name: string, args: unknown, credit: number): void {
    try {
      const delegated = new Map<number, DelegatedTask<unknown>>()
      const blocks = new BorrowedBlocks()
      const helpers = this.helpFor(id, delegated, blocks)
      const started = taskRegistry[name]?.(this.engine, args as never, helpers)
      if (started === undefined) throw new GitError('invalid', `there is no task ${name}`)
      if ('value' in started) {
        this.engine.releaseView()
        this.send({ kind: 'done', id, value: started.value })
        return
      }
      this.tasks.set(id, {
        id,
        task: started.task,
        credit,
        state: 'ready',
        input: null,
        delegated,
        blocks,
      })
      this.schedule()
    } catch (error) {
      this.fail(id, error)
    }
  }

  private helpFor(
    id: number,
    delegated: Map<number, DelegatedTask<unknown>>,
    blocks: BorrowedBlocks,
  ): TaskHelpers {
    return {
      blocks,
      otherThreads: this.otherThreads,
      delegate: <R>(name: string, args: unknown) => {
        const task: DelegatedTask<R> = { settled: false, value: null, error: null }
        const ask = delegated.size
        delegated.set(ask, task)
        this.send({ kind: 'ask', id, ask, name, args })
        return task
      },
    }
  }

  private schedule(): void {
    if (this.scheduled) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      this.runNext()
    })
  }

  /**
   * Runs one ready task for a time slice. Messages received meanwhile are processed before the next
   * slice.
   */
  private runNext(): void {
    for (const running of this.tasks.values()) {
      if (running.state !== 'ready') continue
      // Moved to the end of the queue.
      this.tasks.delete(running.id)
      this.tasks.set(running.id, running)
      const began = performance.now()
      this.runSlice(running)
      this.engine.releaseView()
      this.afterSlice(performance.now() - began)
      break
    }
    for (const running of this.tasks.values()) {
      if (running.state === 'ready') {
        this.schedule()
        return
      }
    }
  }

  private runSlice(running: RunningTask): void {
    const until = performance.now() + TIME_SLICE_MS
    try {
      do {
        let input: Uint8Array | null | undefined
        if (running.input !== null) {
          input = running.input.chunk
          running.input = null
        }
        const step = running.task.next(input)
        if (step.done) {
          this.tasks.delete(running.id)
          this.send({ kind: 'done', id: running.id, value: step.value })
          return
        }
        if (step.value === 'input') {
          running.state = 'waiting'
          this.send({ kind: 'want', id: running.id })
          return
        }
        if (step.value === 'wait') {
          running.state = 'waiting'
          return
        }
        if (step.value === 'retry') {
          running.state = 'waiting'
          setTimeout(() => this.wake(running), RETRY_MS)
          return
        }
        if (step.value !== 'pause') {
          this.sendOutput(running, step.value)
          if (running.credit <= 0) {
            running.state = 'full'
            return
          }
        }
      } while (performance.now() < until)
    } catch (error) {
      this.tasks.delete(running.id)
      this.fail(running.id, error)
    }
  }

  private sendOutput(running: RunningTask, chunk: Uint8Array): void {
    const { id, blocks } = running
    running.credit -= chunk.length
    const block = blocks.numberOf(chunk)
    if (block === null) this.send({ kind: 'output', id, chunk, borrows: blocks.areWanted })
    else this.send({ kind: 'lent output', id, block, length: chunk.length })
  }

  private wake(running: RunningTask): void {
    if (running.state === 'waiting') running.state = 'ready'
    this.schedule()
  }

  private abandon(running: RunningTask): void {
    try {
      running.task.return(undefined)
    } catch {
      // The task was cancelled, so errors of its cleanup are ignored.
    }
  }

  private fail(id: number, error: unknown): void {
    const stack = !(error instanceof GitError) && error instanceof Error ? error.stack : undefined
    this.send({ kind: 'failed', id, ...failureOf(error), stack })
  }
}
