/** Schemas of backups. */
import { Actor, Id, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

export const BACKUP_STATES = ['queued', 'running', 'done', 'failed'] as const
export const VERIFICATION_STATES = ['queued', 'running', 'passed', 'failed'] as const

export const Backup = Type.Object(
  {
    id: Id('bkp'),
    name: Nullable(
      Type.String({ description: 'One with a name is kept until somebody takes it away.' }),
    ),
    place: Type.String({ description: 'The directory or bucket that it is in.' }),
    state: OneOf(BACKUP_STATES),
    scheduled: Type.Boolean(),
    encrypted: Type.Boolean({
      description: 'Only encrypted backups hold the installation key and hearth.toml.',
    }),
    progress: Nullable(
      Type.Object({
        phase: Type.String(),
        files_done: Type.Integer(),
        files_total: Type.Integer(),
        bytes_done: Type.Integer(),
        bytes_total: Type.Integer(),
      }),
    ),
    files: Nullable(Type.Integer()),
    repositories: Nullable(Type.Integer()),
    bytes: Nullable(Type.Integer({ description: 'Of all files, as they are restored.' })),
    added_bytes: Nullable(
      Type.Integer({
        description: 'What was new in the place; the rest is shared with other backups.',
      }),
    ),
    notes: Type.Array(Type.String(), { description: 'What was odd while it was made.' }),
    error: Nullable(Type.String()),
    verification: Nullable(
      Type.Object({
        state: OneOf(VERIFICATION_STATES),
        by: Nullable(
          OneOf(['restoring', 'sums'], {
            description:
              'restoring: a copy was restored, opened and examined; sums: every part has the bytes that were written.',
          }),
        ),
        findings: Type.Array(Type.String()),
        at: Nullable(Time),
      }),
    ),
    created_by: Nullable(Actor),
    created_at: Time,
    started_at: Nullable(Time),
    finished_at: Nullable(Time),
  },
  { $id: 'Backup', description: 'A backup of the whole forge.' },
)
export type Backup = Static<typeof Backup>
