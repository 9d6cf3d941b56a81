/** Events of repositories. Names and data are part of the public interface. */
import { event } from '#core/events.ts'
import { PushSignature } from './schema-code.ts'
import { Nullable, RecordNumber, Sha, Time, Type } from '#core/schema.ts'
import { fieldWords } from '#lib/field-words.ts'

const shortRef = (ref: string): string => ref.replace(/^refs\/(heads|tags)\//, '')
const commits = (count: number): string => (count === 1 ? '1 commit' : `${count} commits`)

/**
 * A branch or tag was created, moved or deleted. `before` and `after` are null where the ref did
 * not exist.
 */
export const gitPush = event(
  'git.push',
  Type.Object({
    ref: Type.String({ description: 'The full name, such as refs/heads/main.' }),
    before: Nullable(Sha),
    after: Nullable(Sha),
    commits: Type.Integer({ description: 'How many commits the branch gained.' }),
    forced: Type.Boolean({ description: 'Whether commits were taken off the branch.' }),
    created: Type.Boolean(),
    deleted: Type.Boolean(),
    default_branch: Type.String({ description: 'The name of the default branch.' }),
    signature: Nullable(PushSignature),
  }),
  (data, by) => {
    const what = data.ref.startsWith('refs/tags/')
      ? `the tag ${shortRef(data.ref)}`
      : shortRef(data.ref)
    const signed = data.signature?.verified ? ', signed' : ''
    if (data.deleted) return `${by} deleted ${what}${signed}`
    if (data.ref.startsWith('refs/tags/'))
      return `${by} ${data.created ? 'created' : 'moved'} ${what}${signed}`
    return `${by} ${data.forced ? 'force-pushed' : 'pushed'} ${data.forced ? '' : `${commits(data.commits)} to `}${data.created ? 'the new branch ' : ''}${what}${signed}`
  },
)

export const repoCreated = event(
  'repo.created',
  Type.Object({ private: Type.Boolean(), imported: Type.Boolean() }),
  (data, by) => `${by} created the repository${data.imported ? ' by an import' : ''}`,
)

export const repoForked = event(
  'repo.forked',
  Type.Object({ pull: RecordNumber }),
  ({ pull }, by) => `${by} forked the repository for #${pull}`,
)

export const repoUpdated = event(
  'repo.updated',
  Type.Object({
    changed: Type.Array(Type.String(), { description: 'The names of the fields or settings.' }),
  }),
  ({ changed }, by) => `${by} changed ${fieldWords(changed)}`,
)

export const repoVisibilityChanged = event(
  'repo.visibility_changed',
  Type.Object({ private: Type.Boolean() }),
  (data, by) => `${by} made the repository ${data.private ? 'private' : 'public'}`,
)

export const repoDefaultBranchChanged = event(
  'repo.default_branch_changed',
  Type.Object({ previous: Type.String(), default_branch: Type.String() }),
  (data, by) => `${by} changed the default branch from ${data.previous} to ${data.default_branch}`,
)

export const repoRenamed = event(
  'repo.renamed',
  Type.Object({ previous_name: Type.String(), name: Type.String() }),
  (data, by) => `${by} renamed the repository from ${data.previous_name} to ${data.name}`,
)

/** The event belongs to the new workspace. */
export const repoTransferred = event(
  'repo.transferred',
  Type.Object({ previous_workspace: Type.String(), workspace: Type.String() }),
  (data, by) => `${by} moved the repository from ${data.previous_workspace} to ${data.workspace}`,
)

/**
 * A branch was renamed. This is not a push: no commit moves, and pull requests follow the new name.
 */
export const branchRenamed = event(
  'branch.renamed',
  Type.Object({ previous: Type.String(), branch: Type.String() }),
  (data, by) => `${by} renamed the branch ${data.previous} to ${data.branch}`,
)

export const repoArchived = event(
  'repo.archived',
  Type.Object({}),
  (_, by) => `${by} archived the repository`,
)
export const repoUnarchived = event(
  'repo.unarchived',
  Type.Object({}),
  (_, by) => `${by} opened the archived repository again`,
)

const gone = Type.Object({ full_name: Type.String(), purge_at: Time })
export const repoDeleted = event(
  'repo.deleted',
  gone,
  ({ full_name }, by) => `${by} deleted ${full_name}`,
)
export const repoRestored = event(
  'repo.restored',
  Type.Object({}),
  (_, by) => `${by} restored the repository`,
)
export const repoPurged = event(
  'repo.purged',
  gone,
  ({ full_name }, by) => `${by} purged ${full_name}`,
)

export const events = [
  gitPush,
  repoCreated,
  repoForked,
  repoUpdated,
  repoVisibilityChanged,
  repoDefaultBranchChanged,
  repoRenamed,
  repoTransferred,
  branchRenamed,
  repoArchived,
  repoUnarchived,
  repoDeleted,
  repoRestored,
  repoPurged,
]
