/**
 * The principal of the current work: the account or address that it is done for. Heavy work of git
 * is shared out fairly between principals. The principal follows a call through everything that it
 * awaits. Jobs have none; the forge itself is their principal.
 *
 * It is an `AsyncLocalStorage` and not a parameter, because heavy work begins in about a hundred
 * places.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { GitError, type Principal } from '#git'
import { Refusal } from '#lib/errors.ts'
import { withTimeout } from '#lib/waiting.ts'
import type { Origin } from './audit.ts'
import type { Caller } from './caller.ts'
import type { Hearth } from './hearth.ts'

const storage = new AsyncLocalStorage<Principal>()

/** Null in jobs and commands. */
export const currentPrincipal = (): Principal | null => storage.getStore() ?? null

/**
 * Runs a function for a principal. Reading for it is given up at `deadlineMs`, a time of
 * `performance.now()`; null is never.
 */
export function runAs<R>(principal: string, run: () => R, deadlineMs: number | null = null): R {
  return storage.run({ id: principal, deadlineMs }, run)
}

/** Runs a function without a principal, such as a job that a request woke. */
export const runAsSystem = <R>(run: () => R): R => storage.exit(run)

/** The account of a caller, the owner of an agent, or the address of an anonymous caller. */
export const principalOf = (caller: Caller, origin: Origin | (() => Origin)): string =>
  caller.kind === 'anonymous'
    ? `at ${(typeof origin === 'function' ? origin() : origin).ip ?? ''}`
    : caller.kind === 'agent'
      ? caller.owner_id
      : caller.id

/**
 * Runs work whose result is shared or cached. The deadline of the first principal must not cancel
 * it, because others wait for the same result.
 */
export function withoutDeadline<R>(run: () => R): R {
  const principal = storage.getStore()
  return principal === undefined || principal.deadlineMs === null
    ? run()
    : storage.run({ ...principal, deadlineMs: null }, run)
}

/**
 * The refusal for an error of the git engine that the caller can understand: 422 for `too_large` (a
 * limit, which the message names), 503 with `Retry-After` for `busy` (too much work waits) and
 * `late` (the deadline passed). Null for every other error.
 */
export function engineRefusal(
  { metrics }: Pick<Hearth, 'metrics'>,
  error: unknown,
): Refusal | null {
  if (!(error instanceof GitError)) return null
  if (error.code === 'too_large') return new Refusal('invalid', error.message)
  if (error.code !== 'busy' && error.code !== 'late') return null
  const isBusy = error.code === 'busy'
  metrics.recordRefusal(isBusy ? 'concurrency' : 'late')
  return new Refusal(
    'unavailable',
    isBusy
      ? error.message
      : 'this takes too much work to be answered at once; try again later, or ask for less',
    {
      reason: 'concurrency',
      headers: { 'retry-after': isBusy ? '10' : '60' },
    },
  )
}

/**
 * The value of a promise. Throws GitError `late` when it has not settled at `deadlineMs`, a time of
 * `performance.now()`. The work behind the promise goes on, because others may share it.
 */
export async function withDeadline<T>(promise: Promise<T>, deadlineMs: number): Promise<T> {
  return await withTimeout(promise, Math.max(0, deadlineMs - performance.now()), () => {
    throw new GitError('late', 'this took too long and was given up')
  })
}
