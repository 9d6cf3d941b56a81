/** What happens to repositories. Names and data are part of the public interface. */
import { event } from '#core/events.ts'
import { Nullable, RecordNumber, Sha, Type } from '#core/schema.ts'

const shortRef = (ref: string): string => ref.replace(/^refs\/(heads|tags)\//, '')
const commits = (count: number): string => (count === 1 ? '1 commit' : `${count} commits`)

/** A branch or tag was made, moved or deleted. `before` and `after` are null where the ref did not exist. */
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
  }),
  (data, by) => {
    const what = data.ref.startsWith('refs/tags/') ? `the tag ${shortRef(data.ref)}` : shortRef(data.ref)
    if (data.deleted) return `${by} deleted ${what}`
    if (data.ref.startsWith('refs/tags/')) return `${by} ${data.created ? 'made' : 'moved'} ${what}`
    return `${by} ${data.forced ? 'force-pushed' : 'pushed'} ${data.forced ? '' : `${commits(data.commits)} to `}${data.created ? 'the new branch ' : ''}${what}`
  },
)

export const repoCreated = event(
  'repo.created',
  Type.Object({ private: Type.Boolean(), imported: Type.Boolean() }),
  (data, by) => `${by} made the repository${data.imported ? ' by an import' : ''}`,
)

export const repoForked = event('repo.forked', Type.Object({ pull: RecordNumber }), ({ pull }, by) => `${by} forked the repository for #${pull}`)

export const repoUpdated = event(
  'repo.updated',
  Type.Object({ changed: Type.Array(Type.String(), { description: 'The names of the fields or settings.' }) }),
  ({ changed }, by) => `${by} changed ${changed.join(', ')}`,
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

export const events = [gitPush, repoCreated, repoForked, repoUpdated, repoVisibilityChanged, repoDefaultBranchChanged]
