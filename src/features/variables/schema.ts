/** Records of variables and secrets. */
import { Actor, Id, ListOf, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

/** Rows of one owner and kind. */
export const MAX_ROWS = 1_000
export const MAX_VALUE_CHARS = 65_536

export const KINDS = ['variable', 'secret'] as const
export type Kind = (typeof KINDS)[number]

export const USES = ['workflows', 'deployments'] as const
/** What may read a row: jobs without an environment, or jobs with one. */
export type Use = (typeof USES)[number]

const rowFields = {
  id: Id('set'),
  name: Type.String({ description: 'In upper case.' }),
  scope: OneOf(['workspace', 'repository'] as const),
  repo: Nullable(Type.String({ description: 'The full name; null for a workspace.' })),
  updated_at: Time,
  available_to: Type.Array(OneOf(USES), {
    description: 'Which jobs may read it: those without an environment, those with one, or both.',
  }),
  environments: Type.Array(Type.String(), { description: 'None means every environment.' }),
  projects: Type.Array(Type.String(), {
    description: 'Slugs; none means every repository of the workspace.',
  }),
  note: Nullable(Type.String()),
  updated_by: Nullable(Actor),
  created_at: Time,
}

export const Variable = Type.Object(
  { ...rowFields, kind: OneOf(['variable'] as const), value: Type.String() },
  { $id: 'Variable', description: 'A value that jobs of workflows read, for all or some of them.' },
)
export type Variable = Static<typeof Variable>
export const Variables = ListOf(Variable)

export const Secret = Type.Object(
  {
    ...rowFields,
    kind: OneOf(['secret'] as const),
    value: Type.Null({ description: 'Always null: a secret is never shown.' }),
  },
  { $id: 'Secret', description: 'A value that jobs read and that nobody is shown.' },
)
export type Secret = Static<typeof Secret>
export const Secrets = ListOf(Secret)
