/**
 * Results that hold until the next commit. Agents send the same read again and again while they
 * wait, and a fetch is several requests in a row. As long as nothing was committed, by this process
 * or another, the rights and records behind a result are the same, so the result is. A commit of
 * another process is noticed within a millisecond.
 *
 * Every commit removes all entries, whatever it changes: a revoked token, a moved branch. An entry
 * also ends after a second, because tokens end and some answers change with the time alone. REST
 * keeps the text of answers here, the tool server results, the git server who may read what, and the
 * registries of packages what their clients read.
 */

import type { Hearth } from './hearth.ts'
import type { Operation } from './operation.ts'
import { type Service, service } from './service.ts'
import type { Cache, CacheOptions } from '#lib/cache.ts'
import { SECOND } from '#lib/time.ts'

const MAX_AGE_MS = SECOND

type Entry<V> = { readonly value: V; readonly storedAt: number }

export class CommitCache<V extends {}> {
  readonly #entries: Cache<Entry<V>>
  #version = ''

  constructor(
    private readonly hearth: Pick<Hearth, 'writer' | 'clock' | 'caches'>,
    name: string,
    { maxSize, sizeOf }: CacheOptions<V>,
  ) {
    this.#entries = hearth.caches.create<Entry<V>>(name, {
      maxSize,
      sizeOf: ({ value }) => sizeOf(value),
    })
  }

  /** The version of the database. Read it before a result is computed and pass it to `set`. */
  version(): string {
    const version = this.hearth.writer.state()
    if (version !== this.#version) {
      this.#entries.clear()
      this.#version = version
    }
    return version
  }

  get(key: string): V | null {
    this.version()
    const entry = this.#entries.get(key)
    return entry && Math.abs(this.hearth.clock.now() - entry.storedAt) < MAX_AGE_MS
      ? entry.value
      : null
  }

  /** Stores a result, unless something was committed since `version` was read. */
  set(key: string, version: string, value: V): void {
    if (this.version() !== version) return
    this.#entries.set(key, { value, storedAt: this.hearth.clock.now() })
  }
}

/** Declares a cache of this kind. Its name is a label in `/metrics`; sizes are in bytes. */
export const commitCache = <V extends {}>(
  name: string,
  options: CacheOptions<V>,
): Service<CommitCache<V>> => service(name, (hearth) => new CommitCache(hearth, name, options))

/**
 * Whether an operation gives the same caller the same answer until the next commit. Operations that
 * wait, stream, redirect or show a secret do not.
 */
export const isCacheable = (operation: Operation): boolean =>
  !operation.lines &&
  !operation.secretAnswer &&
  !operation.redirect &&
  operation.status === 200 &&
  !Object.hasOwn(operation.input.properties, 'wait')
