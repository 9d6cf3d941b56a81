/** Formats of secrets that people add. */
import { Actor, Id, ListOf, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

export const PATTERN_TEST_STATES = ['queued', 'complete', 'failed'] as const

export const PatternTest = Type.Object(
  {
    state: OneOf(PATTERN_TEST_STATES),
    repository: Type.String(),
    commits: Type.Integer({ description: 'How many commits were read.' }),
    matches: Type.Integer({ description: 'How many matches they hold.' }),
    complete: Type.Boolean({ description: 'Whether all commits were read.' }),
    places: Type.Array(
      Type.Object({
        path: Type.String(),
        line: Type.Integer(),
        commit: Type.String(),
        preview: Type.String({ description: 'The first 4 and the last 2 characters.' }),
      }),
      { description: 'The first 50 of them.' },
    ),
    created_at: Time,
    finished_at: Nullable(Time),
  },
  {
    $id: 'SecretPatternTest',
    description: 'What a pattern finds in the commits of a repository. It opens no alerts.',
  },
)
export type PatternTest = Static<typeof PatternTest>

export const SecretPattern = Type.Object(
  {
    id: Id('spt'),
    workspace: Type.String(),
    repository: Nullable(
      Type.String({ description: 'Null for a pattern of all repositories of the workspace.' }),
    ),
    name: Type.String(),
    type: Type.String({ description: 'The type of its alerts.' }),
    pattern: Type.String({ description: 'An expression in the syntax of RE2.' }),
    enabled: Type.Boolean(),
    push_protection: Type.Boolean({ description: 'Whether pushes that add a match are refused.' }),
    test: Nullable(PatternTest),
    created_by: Nullable(Actor),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'SecretPattern', description: 'A format of secrets that people added.' },
)
export type SecretPattern = Static<typeof SecretPattern>
export const SecretPatterns = ListOf(SecretPattern)

/** Inputs shared by several operations. */
export const PatternName = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    'What people call the secret, in one line; no other pattern of the same place has it.',
})
export const PatternSource = Type.String({
  minLength: 1,
  maxLength: 500,
  description:
    'An expression in the syntax of RE2 with a text of at least 3 characters in every match, such as acme_[a-z0-9]{32}. With a group, the group is the secret.',
})
export const PatternId = Type.String({ maxLength: 100, description: 'The id of a pattern.' })
export const PatternFlags = {
  enabled: Type.Optional(
    Type.Boolean({ description: 'Whether it is looked for. Test it before you turn it on.' }),
  ),
  push_protection: Type.Optional(
    Type.Boolean({ description: 'Whether pushes that add a match are refused.' }),
  ),
}
