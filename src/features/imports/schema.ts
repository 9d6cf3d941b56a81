/** Schemas of imports. */
import { Actor, Id, ListOf, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

/** The protocol of the source: git, or the API of another forge. */
export const SOURCES = ['git', 'gitea_api', 'github_api', 'gitlab_api'] as const
export type Source = (typeof SOURCES)[number]
/** The sources that can list what an owner has. */
export const FORGE_SOURCES = ['gitea_api', 'github_api', 'gitlab_api'] as const
/** What can be imported besides the code. */
export const PARTS = [
  'code',
  'large_files',
  'wiki',
  'labels',
  'milestones',
  'issues',
  'pulls',
  'releases',
  'comments',
  'collaborators',
] as const
export type Part = (typeof PARTS)[number]
/**
 * What is taken over, in this order. Reviews and the timeline come with the comments,
 * attachments with every text.
 */
export const STEP_NAMES = [
  'code',
  'large_files',
  'wiki',
  'collaborators',
  'labels',
  'milestones',
  'issues',
  'pulls',
  'comments',
  'reviews',
  'timeline',
  'releases',
  'attachments',
] as const satisfies readonly (Part | 'reviews' | 'timeline' | 'attachments')[]
export type StepName = (typeof STEP_NAMES)[number]
export const IMPORT_STATES = [
  'queued',
  'running',
  'waiting_for_limit',
  'done',
  'done_with_errors',
  'failed',
  'cancelled',
] as const
export type ImportState = (typeof IMPORT_STATES)[number]
export const STEP_STATES = [
  'waiting',
  'running',
  'done',
  'done_with_errors',
  'failed',
  'cancelled',
] as const
export type StepState = (typeof STEP_STATES)[number]
export const PHASES = ['waiting', 'connecting', 'receiving', 'checking', 'refs', 'over'] as const
export type Phase = (typeof PHASES)[number]

export const Import = Type.Object(
  {
    id: Id('imp'),
    source: OneOf(SOURCES),
    url: Type.String({ description: 'Where it is copied from, without name and password.' }),
    repo: Nullable(
      Type.String({ description: 'The repository here, as <owner>/<name>; null once it is gone.' }),
    ),
    state: OneOf(IMPORT_STATES),
    steps: Type.Array(
      Type.Object({
        name: OneOf(STEP_NAMES),
        done: Type.Integer(),
        total: Type.Integer({ description: '0 while it is not known.' }),
        state: OneOf(STEP_STATES),
      }),
      { description: 'What is taken over. For code, done and total count git objects.' },
    ),
    progress: Type.Object({
      phase: OneOf(PHASES, {
        description:
          'connecting: asking what is there; receiving: git objects come; checking: each is checked; refs: branches and tags are made.',
      }),
      received_objects: Type.Integer(),
      total_objects: Type.Integer(),
      received_bytes: Type.Integer(),
      refs: Type.Integer({ description: 'Branches and tags that are made.' }),
      total_refs: Type.Integer(),
    }),
    errors: Type.Array(Type.String(), {
      description: 'What went wrong, in words; the last one ended it when the state is failed.',
    }),
    resume_at: Nullable(Time),
    created_by: Nullable(Actor),
    created_at: Time,
    started_at: Nullable(Time),
    finished_at: Nullable(Time),
  },
  { $id: 'Import', description: 'The copying of a repository from elsewhere.' },
)
export type Import = Static<typeof Import>

export const Imports = ListOf(Import)

export const RemoteRepo = Type.Object(
  {
    full_name: Type.String({ description: 'The path there, with its owner.' }),
    name: Type.String(),
    url: Type.String({ description: 'For `create_import` and `create_imports`.' }),
    description: Nullable(Type.String()),
    private: Type.Boolean(),
    archived: Type.Boolean(),
    fork: Type.Boolean(),
    empty: Type.Boolean({ description: 'Whether it is known to have no code.' }),
    exists: Type.Boolean({
      description: 'Whether the workspace has a repository of this name already.',
    }),
  },
  { $id: 'RemoteRepo', description: 'A repository of another forge that can be imported.' },
)
export type RemoteRepo = Static<typeof RemoteRepo>
export const RemoteRepos = ListOf(RemoteRepo)

export const StartedImports = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        url: Type.String(),
        import: Nullable(Import),
        error: Nullable(Type.String({ description: 'Why it was not begun; null when it was.' })),
      }),
      { description: 'In the order of the input.' },
    ),
  },
  { $id: 'StartedImports', description: 'Imports that were begun together.' },
)
export type StartedImports = Static<typeof StartedImports>

export const ImportedPerson = Type.Object(
  {
    id: Id('usr'),
    host: Type.String({ description: 'The other forge.' }),
    username: Type.String({ description: 'The username there.' }),
    name: Nullable(Type.String()),
    url: Nullable(Type.String({ description: 'The profile there.' })),
    mapped_to: Nullable(Actor),
  },
  { $id: 'ImportedPerson', description: 'Somebody of another forge who wrote what was imported.' },
)
export type ImportedPerson = Static<typeof ImportedPerson>
export const ImportedPeople = ListOf(ImportedPerson)
