/**
 * Services: state that belongs to one running forge and lives in memory only (mailers, guards,
 * caches, open connections). A module declares one as a value and reads it through the forge, so
 * two forges in one process never share state and a closed forge leaves none behind.
 *
 *     export const mailer = service('mailer', (hearth) => new Mailer(hearth.settings.mail))
 *     await mailer(hearth).send(message)
 *
 * A service is created when it is first read. `close` runs when the forge closes. State that must
 * survive a restart belongs in the database.
 */
import type { Cache, CacheOptions } from '#lib/cache.ts'
import type { Hearth } from './hearth.ts'

export type Service<T> = (hearth: Pick<Hearth, 'services'>) => T

type Definition<T> = {
  readonly name: string
  readonly create: (hearth: Hearth) => T
  readonly close?: (value: T) => void | Promise<void>
}

/** Declares a service. `name` appears in errors only; two services may not be told apart by it. */
export function service<T>(
  name: string,
  create: (hearth: Hearth) => T,
  options: { readonly close?: (value: T) => void | Promise<void> } = {},
): Service<T> {
  const definition: Definition<T> = { name, create, ...options }
  return (hearth) => hearth.services.get(definition)
}

/**
 * Declares a cache whose bytes count against the forge's cache budget (`hearth.caches`). The name
 * is the label of `hearth_cache_bytes` in `/metrics`.
 */
export const cache = <V extends {}>(name: string, options: CacheOptions<V>): Service<Cache<V>> =>
  service(name, (hearth) => hearth.caches.create(name, options))

/** The services of one forge by their definitions. Created in `createHearth`. */
export class Services {
  readonly #values = new Map<unknown, unknown>()
  readonly #closers: (() => void | Promise<void>)[] = []
  #isClosed = false

  constructor(private readonly hearth: () => Hearth) {}

  /** The value of a service. Throws a TypeError after `close`, because nothing would close it. */
  get<T>(definition: Definition<T>): T {
    // The map holds for each definition what its own `create` returned, so the type is known.
    if (this.#values.has(definition)) return this.#values.get(definition) as T
    if (this.#isClosed) throw new TypeError(`the forge is closed: no service ${definition.name}`)
    const value = definition.create(this.hearth())
    this.#values.set(definition, value)
    const { close } = definition
    if (close) this.#closers.push(() => close(value))
    return value
  }

  /** Closes all services, the last one created first. One that fails does not keep the others. */
  async close(): Promise<void> {
    this.#isClosed = true
    const closing = this.#closers.reverse().map(async (close) => await close())
    await Promise.allSettled(closing)
    this.#values.clear()
  }
}
