/** Schemas of retention rules and of what they would delete. */
import { Id, Nullable, Time, Type, type Static } from '#core/schema.ts'
import { PackageTypeOutput } from '../schema.ts'

const MAX_KEPT = 10_000
const MAX_DAYS = 3650
const MAX_PATTERN_LENGTH = 200
export const DEFAULT_KEEP_NEWEST = 10
export const DEFAULT_OLDER_THAN_DAYS = 30
export const DEFAULT_SNAPSHOTS_KEPT = 20

/** What a rule says. Whatever one field keeps is kept. */
export const ruleInputs = {
  keep_newest: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_KEPT,
      description: `So many of the newest versions are kept; ${DEFAULT_KEEP_NEWEST} unless given.`,
    }),
  ),
  keep_matching: Type.Optional(
    Nullable(
      Type.String({
        maxLength: MAX_PATTERN_LENGTH,
        description:
          'Patterns with spaces between them, such as v* release-*; versions and tags that match are kept.',
      }),
    ),
  ),
  older_than_days: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_DAYS,
      description: `Younger versions are kept; ${DEFAULT_OLDER_THAN_DAYS} unless given.`,
    }),
  ),
  untagged_only: Type.Optional(
    Type.Boolean({ description: 'Whether every version with a tag is kept; false unless given.' }),
  ),
  snapshots_kept: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_KEPT,
      description: `Builds that are kept of each Maven snapshot; ${DEFAULT_SNAPSHOTS_KEPT} unless given.`,
    }),
  ),
}

export const RetentionRule = Type.Object(
  {
    keep_newest: Type.Integer(),
    keep_matching: Nullable(Type.String()),
    older_than_days: Type.Integer(),
    untagged_only: Type.Boolean(),
    snapshots_kept: Type.Integer(),
    updated_at: Time,
  },
  { $id: 'PackageRetentionRule', description: 'Which versions the daily job deletes.' },
)
export type RetentionRule = Static<typeof RetentionRule>

export const Retention = Type.Object(
  {
    rule: Nullable(RetentionRule),
    inherited: Nullable(RetentionRule),
  },
  {
    $id: 'PackageRetention',
    description:
      'The rule of a package or workspace, and the one of the workspace that holds without it.',
  },
)
export type Retention = Static<typeof Retention>

export const RetentionPreview = Type.Object(
  {
    versions: Type.Array(
      Type.Object({
        id: Id('pkv'),
        version: Type.String(),
        package_type: PackageTypeOutput,
        package_name: Type.String(),
        size_in_bytes: Type.Integer(),
        created_at: Time,
      }),
      { description: 'At most 200 of them.' },
    ),
    version_count: Type.Integer(),
    snapshot_file_count: Type.Integer({
      description: 'Files of old builds of Maven snapshots.',
    }),
    size_in_bytes: Type.Integer({ description: 'Of all versions and files, as listed.' }),
  },
  { $id: 'PackageRetentionPreview', description: 'What a rule would delete now.' },
)
export type RetentionPreview = Static<typeof RetentionPreview>
