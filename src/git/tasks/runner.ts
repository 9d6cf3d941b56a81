/**
 * Runs tasks of one thread in turns and speaks about them in messages. Output waits for credit,
 * input is asked for block by block, so neither a slow client nor a slow disk makes anything pile
 * up.
 */
import { GitError } from '../ports.ts'
import type { Engine } from './engine.ts'
import { registry } from './registry.ts'
import type { Asked, Help, Task } from './task.ts'

export type ToRunner =
  | {
      readonly kind: 'start'
      readonly id: number
      readonly name: string
      readonly args: unknown
      readonly credit: number
    }
  /** A block of input, or null at its end. */
  | { readonly kind: 'input'; readonly id: number; readonly chunk: Uint8Array | null }
  /** So many bytes of output have been taken. */
  | { readonly kind: 'credit'; readonly id: number; readonly bytes: number }
  | { readonly kind: 'cancel'; readonly id: number }
  /** What another thread did for the task; `code` is null where the failure is no GitError. */
  | {
      readonly kind: 'answer'
      readonly id: number
      readonly ask: number
      readonly value: unknown
      readonly failure: Failure | null
    }
  /** Close a store's files; or only look at its packs again. */
  | { readonly kind: 'forget'; readonly store: string }
  | { readonly kind: 'refresh'; readonly store: string }

export type FromRunner =
  | { readonly kind: 'output'; readonly id: number; readonly chunk: Uint8Array }
  /** The task wants the next block of input. */
  | { readonly kind: 'want'; readonly id: number }
  /** The task wants work done by another thread. */
  | {
      readonly kind: 'ask'
      readonly id: number
      readonly ask: number
      readonly name: string
      readonly args: unknown
    }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | ({ readonly kind: 'failed'; readonly id: number } & Failure)

/**
 * `code` is null for a fault of ours, which is no GitError; `system` then tells what the system
 * said, such as ENOSPC.
 */
export type Failure = {
  readonly code: GitError['code'] | null
  readonly message: string
  readonly stack?: string
  readonly system?: string
}

/** An error as what crosses to another thread. */
export function failureOf(error: unknown): Failure {
  if (error instanceof GitError) return { code: error.code, message: error.message }
  const system = (error as { code?: unknown } | null)?.code
  return {
    code: null,
    message: error instanceof Error ? error.message : String(error),
    ...(typeof system === 'string' ? { system } : {}),
  }
}

/** A failure as an error again, on the side that asked. */
export const errorOf = ({ code, message, system }: Failure): Error =>
  code !== null
    ? new GitError(code, message)
    : system === undefined
      ? new Error(message)
      : Object.assign(new Error(message), { code: system })

type Running = {
  readonly id: number
  readonly task: Task<unknown>
  credit: number
  state: 'ready' | 'waiting' | 'full'
  input: { chunk: Uint8Array | null } | null
  readonly asked: Map<number, Asked<unknown>>
}

/**
 * Milliseconds that one task runs before others get their turn; so long a short question waits
 * behind long work.
 */
const SLICE = 4

export class Runner {
  private readonly tasks = new Map<number, Running>()
  private scheduled = false

  constructor(
    private readonly engine: Engine,
    private readonly send: (message: FromRunner) => void,
    /** How many other threads there are. */
    private readonly others: number,
  ) {}

  receive(message: ToRunner): void {
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
      this.finish(running)
      this.fail(message.id, new GitError('aborted', 'the work was given up'))
    } else if (message.kind === 'answer') {
      const asked = running.asked.get(message.ask)
      if (asked) {
        const { failure } = message
        asked.value = message.value
        if (failure !== null) asked.error = errorOf(failure)
        asked.settled = true
      }
      if (running.state === 'waiting') running.state = 'ready'
    } else if (message.kind === 'credit') {
      running.credit += message.bytes
      if (running.state === 'full' && running.credit > 0) running.state = 'ready'
    } else {
      running.input = { chunk: message.chunk }
      if (running.state === 'waiting') running.state = 'ready'
    }
    this.schedule()
  }

  private start(id: number, name: string, args: unknown, credit: number): void {
    try {
      const asked = new Map<number, Asked<unknown>>()
      const made = registry[name]?.(this.engine, args as never, this.helpFor(id, asked))
      if (made === undefined) throw new GitError('invalid', `there is no task ${name}`)
      if ('value' in made) {
        this.send({ kind: 'done', id, value: made.value })
        return
      }
      this.tasks.set(id, { id, task: made.task, credit, state: 'ready', input: null, asked })
      this.schedule()
    } catch (error) {
      this.fail(id, error)
    }
  }

  private helpFor(id: number, asked: Map<number, Asked<unknown>>): Help {
    return {
      others: this.others,
      ask: <R>(name: string, args: unknown) => {
        const one: Asked<R> = { settled: false, value: null, error: null }
        const ask = asked.size
        asked.set(ask, one)
        this.send({ kind: 'ask', id, ask, name, args })
        return one
      },
    }
  }

  private schedule(): void {
    if (this.scheduled) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      this.turn()
    })
  }

  /**
   * Gives one task that can go on a slice of time; messages that came meanwhile are heard before
   * the next.
   */
  private turn(): void {
    for (const running of this.tasks.values()) {
      if (running.state !== 'ready') continue
      // To the end of the line.
      this.tasks.delete(running.id)
      this.tasks.set(running.id, running)
      this.slice(running)
      break
    }
    for (const running of this.tasks.values()) {
      if (running.state === 'ready') {
        this.schedule()
        return
      }
    }
  }

  private slice(running: Running): void {
    const until = performance.now() + SLICE
    try {
      do {
        let given: Uint8Array | null | undefined
        if (running.input !== null) {
          given = running.input.chunk
          running.input = null
        }
        const step = running.task.next(given)
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
        if (step.value !== 'pause') {
          running.credit -= step.value.length
          this.send({ kind: 'output', id: running.id, chunk: step.value })
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

  private finish(running: Running): void {
    try {
      running.task.return(undefined)
    } catch {
      // The task was given up; what its end throws interests nobody.
    }
  }

  private fail(id: number, error: unknown): void {
    const stack = !(error instanceof GitError) && error instanceof Error ? error.stack : undefined
    this.send({ kind: 'failed', id, ...failureOf(error), stack })
  }
}
