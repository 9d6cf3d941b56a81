/**
 * Extension points let an earlier feature use later features that it does not import. A reaction
 * covers what follows a change; an extension point covers what is needed before a change or shown
 * beside a record (what blocks a merge, which rules a push must obey). The earlier feature declares
 * the extension point with its type. A later feature lists its extensions in `Feature.extensions`.
 */
import type { Hearth } from './hearth.ts'

/** The value that one feature adds to one extension point. */
export type Extension = { readonly point: string; readonly value: unknown }

export type ExtensionPoint<T> = {
  readonly name: string
  /** An extension with this value. */
  with(value: T): Extension
  /** The values of all extensions, in the order of the features. */
  all(hearth: Hearth): readonly T[]
}

/** Declares an extension point. `name` is `<feature>.<what>`. */
export const extensionPoint = <T>(name: string): ExtensionPoint<T> => ({
  name,
  with: (value) => ({ point: name, value }),
  // Only `with` of the same extension point creates extensions of this name, so the type is known.
  all: (hearth) => hearth.extensionsOf(name) as readonly T[],
})
