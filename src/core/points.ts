/**
 * Points: places where an earlier feature asks later ones, which it does not know by name.
 * Reactions cover what follows a change; a point covers what must be known before it or shown
 * beside it (what stands against a merge, what a push must obey). The earlier feature declares the
 * point and its type, a later one answers in its `extensions`.
 */
import type { Hearth } from './hearth.ts'

/** One answer to one point, as a feature lists it. */
export type Extension = { readonly point: string; readonly value: unknown }

export type Point<T> = {
  readonly name: string
  /** The answer of a later feature. */
  with(value: T): Extension
  /** All answers, in the order of the features. */
  all(hearth: Hearth): readonly T[]
}

/** Declares a point; `name` is `<feature>.<what>`. */
export const point = <T>(name: string): Point<T> => ({
  name,
  with: (value) => ({ point: name, value }),
  all: (hearth) => hearth.extensionsOf(name) as readonly T[],
})
