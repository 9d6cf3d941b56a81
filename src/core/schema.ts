/** Schemas that all features share. A TypeBox 1.x schema is a JSON Schema 2020-12 document. */
import Type, { type Static, type TEnum, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { Prefix } from './ids.ts'
import { SLUG_PATTERN } from '#lib/slug.ts'

export { Type, type Static, type TSchema }

/** Whether a value is one that a schema describes. */
export const isValid = <T extends TSchema>(schema: T, value: unknown): value is Static<T> =>
  Value.Check(schema, value)

/**
 * What a text must be, after “must be”, in refusals of its pattern. `x-` names are for this program
 * only and are not published.
 */
export const mustBe = (words: string) => ({ 'x-must-be': words })

/** A value or null. */
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** One of a few texts. */
export const OneOf = <const T extends readonly string[]>(
  words: T,
  options: { description?: string; default?: T[number] } = {},
): TEnum<[...T]> => Type.Enum<[...T]>([...words] as [...T], { type: 'string', ...options })

export const Id = <P extends Prefix>(prefix: P) =>
  Type.String({
    maxLength: 200,
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
  ...mustBe('a repository as workspace/name'),
  description: 'The repository as <owner>/<name>.',
  examples: ['acme/site'],
})

export const Slug = Type.String({
  minLength: 1,
  maxLength: 39,
  pattern: SLUG_PATTERN,
  ...mustBe('lowercase letters and digits, with single hyphens between them'),
  description: 'Lowercase letters, digits and single hyphens.',
})

/** The slug of an existing workspace. It is looked up, so the pattern of new slugs is not checked. */
export const WorkspaceSlug = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The slug of a workspace.',
  examples: ['acme'],
})

export const Sha = Type.String({
  pattern: '^[0-9a-f]{40}$',
  ...mustBe('a commit id of 40 lowercase hex digits'),
  description: 'A commit id: 40 lowercase hex digits.',
})

export const RecordNumber = Type.Integer({
  minimum: 1,
  maximum: 2147483647,
  description: 'The number of an issue or pull request.',
})

/** The author of a change: a person, an agent or a workspace. */
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

/** Marks a property whose name in REST responses differs from its name in tool results. */
export const restName = (name: string) => ({ 'x-rest-name': name })

/** How tool results shorten a record. REST returns every field. */
export type ToolRecord = {
  /** Fields that follow from others, such as addresses. They are left out. */
  readonly follows?: readonly string[]
  /** Fields that are left out when they have this value. */
  readonly usual?: Readonly<Record<string, unknown>>
  /** Fields that are left out when they are equal to another one. */
  readonly same?: Readonly<Record<string, string>>
  /** For a free-form object that the forge writes itself: its nulls are left out. */
  readonly omitNulls?: boolean
}

/** An option of an object's schema. */
export const toolRecord = (options: ToolRecord) => ({ 'x-tool-record': options })

/** Marks a property of an output that is a secret. Its response is never compressed. */
export const secretText = { 'x-secret': true } as const

/** Marks an input whose unknown names reach the operation. Otherwise REST drops them. */
export const refusesUnknown = { 'x-refuses-unknown': true } as const

/** A response without a body. */
export const Nothing = Type.Null()
export type Nothing = null

/**
 * The response of a list. REST returns the bare array with `Link` and `X-Total-Count` headers;
 * tools get this object. `next` is the cursor of the next page, null on the last.
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

/** Free-form objects: the names inside are not converted to another spelling. */
export const FreeForm = (options: { description?: string; 'x-tool-record'?: ToolRecord } = {}) =>
  Type.Record(Type.String(), Type.Unknown(), {
    'x-free-form': true,
    maxProperties: 10_000,
    ...options,
  })
