/**
 * For whom the forge works at a moment, so that what is heavy can be shared out fairly. It follows
 * a call through everything that is awaited in it; what nobody asked for (a job) is the forge's
 * own.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { GitError, type Asker } from '#git'
import { Refusal } from '#lib/errors.ts'
import { inTime } from '#lib/waiting.ts'
import type { Origin } from './audit.ts'
import type { Caller } from './caller.ts'
import type { Hearth } from './hearth.ts'

const storage = new AsyncLocalStorage<Asker>()

export const currentPrincipal = (): Asker | null => storage.getStore() ?? null

/**
 * Runs something for a party. A time of `performance.now()` says when reading for it is given up.
 */
export function runAs<R>(party: string, run: () => R, until: number | null = null): R {
  return storage.run({ party, until }, run)
}

/**
 * Runs something for nobody in particular, whoever it was that set it going: a job that a request
 * wakes is not that request's.
 */
export const runAsSystem = <R>(run: () => R): R => storage.exit(run)

/** Whose work a call is: of an account, of whoever answers for an agent, or of an address. */
export const principalOf = (caller: Caller, origin: Origin | (() => Origin)): string =>
  caller.kind === 'anonymous'
    ? `at ${(typeof origin === 'function' ? origin() : origin).ip ?? ''}`
    : caller.kind === 'agent'
      ? caller.owner_id
      : caller.id

/**
 * Runs what others wait for as well, or what is kept for later: it is not given up because the
 * first who asked is out of time.
 */
export function withoutDeadline<R>(run: () => R): R {
  const asker = storage.getStore()
  return asker === undefined || asker.until === null
    ? run()
    : storage.run({ ...asker, until: null }, run)
}

/**
 * What the engine says when too much waits, or when something took too long, as a refusal; null for
 * every other error.
 */
export function overloaded({ measures }: Pick<Hearth, 'measures'>, error: unknown): Refusal | null {
  if (!(error instanceof GitError) || (error.code !== 'busy' && error.code !== 'late')) return null
  measures.refuse(error.code === 'busy' ? 'concurrency' : 'late')
  const wait = error.code === 'busy' ? '10' : '60'
  return new Refusal(
    'unavailable',
    error.code === 'busy'
      ? error.message
      : 'this takes too much work to be answered at once; try again later, or ask for less',
    {
      reason: 'concurrency',
      headers: { 'retry-after': wait },
    },
  )
}

/**
 * The same promise, given up (GitError `late`) when it has not come by a time of
 * `performance.now()`. What makes it may go on for others.
 */
export async function withDeadline<T>(promise: Promise<T>, until: number): Promise<T> {
  return await inTime(promise, Math.max(0, until - performance.now()), () => {
    throw new GitError('late', 'this took too long and was given up')
  })
}
