/** Records of memories. */
import { Actor, Id, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

export const SCOPES = ['project', 'workspace'] as const
export type MemoryScope = (typeof SCOPES)[number]

export const KINDS = ['fact', 'convention', 'decision', 'gotcha'] as const
export type MemoryKind = (typeof KINDS)[number]

export const MAX_TEXT_CHARS = 2_000
/** Of a memory that an agent writes: one fact each. */
export const MAX_AGENT_TEXT_CHARS = 500
export const MAX_PATHS = 5
export const MAX_PER_REPO = 1_000
export const MAX_PER_WORKSPACE = 2_000
export const MAX_PINNED = 20
/** How many memories one agent may write in a day. */
export const MAX_PER_AGENT_AND_DAY = 5

export const CITATION_STATES = ['current', 'changed', 'gone'] as const

export const Citation = Type.Object({
  path: Type.String(),
  state: OneOf(CITATION_STATES, {
    description:
      'Whether the default branch still has the file as it was: changed means the memory may be stale.',
  }),
})
export type Citation = Static<typeof Citation>

const fields = {
  id: Id('mem'),
  scope: OneOf(SCOPES),
  repo: Nullable(Type.String({ description: 'Full name; null for a workspace.' })),
  workspace: Type.String(),
  kind: OneOf(KINDS),
  text: Type.String(),
  pinned: Type.Boolean(),
  paths: Type.Array(Citation, { description: 'The files that it is about.' }),
  waiting: Type.Boolean({
    description: 'Whether agents get it only after a person has read it, or a day has passed.',
  }),
  reviewed: Type.Boolean({ description: 'Whether a person wrote it or has read it.' }),
  author: Actor,
  pull: Nullable(Type.Integer({ description: 'The pull request that it comes from.' })),
  uses: Type.Integer({ description: 'How often an agent that began to work was given it.' }),
  last_used_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
}

export const Memory = Type.Object(fields, {
  $id: 'Memory',
  description: 'What is remembered about a repository or a workspace.',
})
export type Memory = Static<typeof Memory>

export const RememberedMemory = Type.Object(
  {
    ...fields,
    existing: Type.Boolean({ description: 'Whether it was remembered before.' }),
  },
  { $id: 'RememberedMemory', description: 'A memory, and whether it is new.' },
)

export const Memories = Type.Object(
  {
    project: Type.Array(Memory),
    workspace: Type.Array(Memory),
    project_count: Type.Integer({ description: 'How many of the repository match.' }),
    workspace_count: Type.Integer({ description: 'How many of the workspace match.' }),
  },
  { $id: 'Memories', description: 'Memories of a repository and of its workspace.' },
)
export type Memories = Static<typeof Memories>
