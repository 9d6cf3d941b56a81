/**
 * Pieces that schemas of all features are made of. TypeBox 1.x schemas are JSON Schema 2020-12 as
 * they stand.
 */
import Type, { type Static, type TEnum, type TSchema } from 'typebox'
import type { Prefix } from '#lib/typeid.ts'
import { SLUG_PATTERN } from '#lib/slug.ts'

export { Type, type Static, type TSchema }

/**
 * A value or null; in JSON Schema a plain `type` list where that is possible, which clients
 * generate well.
 */
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** One of a few words. */
export const OneOf = <const T extends readonly string[]>(
  words: T,
  options: { description?: string } = {},
): TEnum<[...T]> => Type.Enum<[...T]>([...words] as [...T], { type: 'string', ...options })

export const Id = <P extends Prefix>(prefix: P) =>
  Type.String({
    description: `A TypeID with the prefix ${prefix}_.`,
    examples: [`${prefix}_01h455vb4pex5vsknk084sn02q`],
  })

export const Time = Type.String({
  format: 'date-time',
  description: 'RFC 3339 in UTC with milliseconds.',
  examples: ['2026-01-31T23:59:59.999Z'],
})

/**
 * The input of every operation on a repository: folded from `{owner}/{name}` of the path over REST.
 */
export const RepoPath = Type.String({
  minLength: 3,
  maxLength: 160,
  pattern: '^[^/\\s]+/[^/\\s]+(/pull/[0-9]+)?$',
  description: 'The repository as <owner>/<name>.',
  examples: ['acme/site'],
})

export const Slug = Type.String({
  minLength: 1,
  maxLength: 39,
  pattern: SLUG_PATTERN,
  description: 'Lowercase letters, digits and single hyphens.',
})

/** The input that names a workspace; looked up, so not held to the pattern of a new slug. */
export const WorkspaceSlug = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The slug of a workspace.',
  examples: ['acme'],
})

export const Sha = Type.String({
  pattern: '^[0-9a-f]{40}$',
  description: 'A commit id: 40 lowercase hex digits.',
})

export const RecordNumber = Type.Integer({
  minimum: 1,
  maximum: 2147483647,
  description: 'The number of an issue or pull request.',
})

/** Who did something: a person, an agent or a workspace. */
export const Actor = Type.Object(
  {
    id: Type.String(),
    kind: OneOf(['user', 'agent', 'workspace']),
    username: Type.String(),
    name: Nullable(Type.String()),
    avatar_url: Type.String(),
    on_behalf_of: Nullable(Type.Object({ id: Type.String(), username: Type.String() })),
  },
  { $id: 'Actor', description: 'Who did something: a person, an agent or a workspace.' },
)
export type Actor = Static<typeof Actor>

/**
 * Marks a property whose REST spelling differs from its tool spelling; applied by the REST door on
 * the way out.
 */
export const restName = (name: string) => ({ 'x-rest-name': name })

/**
 * Marks an input whose operation names what it does not know; over REST unknown names never arrive
 * otherwise.
 */
export const refusesUnknown = { 'x-refuses-unknown': true } as const

/** An answer without a body. */
export const Nothing = Type.Null()
export type Nothing = null

/**
 * A list answer. Over REST it is the bare array with `Link` and `X-Total-Count` headers; tools get
 * this object. `next` is the cursor of the next page, null on the last.
 */
export const ListOf = <T extends TSchema>(item: T) =>
  Type.Object(
    {
      items: Type.Array(item),
      next: Nullable(Type.String()),
      total: Type.Optional(Type.Integer()),
    },
    { 'x-list': true },
  )
export type ListOf<T> = { items: T[]; next: string | null; total?: number }

/** Free-form objects: their inner names are left as they came. */
export const FreeForm = (options: { description?: string } = {}) =>
  Type.Record(Type.String(), Type.Unknown(), { 'x-free-form': true, ...options })
