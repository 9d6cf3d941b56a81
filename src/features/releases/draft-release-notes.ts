import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { resolveCommit, tagRef } from '#features/repos/index.ts'
import { draftNotes } from './release-notes.ts'
import { requireTagName } from './requirements.ts'
import { ReleaseNotes, TagName, Target } from './schema.ts'
import { findTarget } from './release-tag.ts'

export const draftReleaseNotes = operation({
  name: 'draft_release_notes',
  summary:
    'Draft the name and notes of a version from what was merged since previous_tag, or since the release before it (Write). Nothing is kept.',
  keywords: [
    'write release notes',
    'changelog',
    "what's new since the last release",
    'generate notes',
  ],
  route: 'POST /repos/{owner}/{name}/releases/notes',
  toolset: 'releases',
  listed: 'default',
  access: readsRepoAs('write', { scope: 'repo:read' }),
  input: Type.Object({
    repo: RepoPath,
    tag_name: TagName,
    previous_tag: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'The tag to begin after.' }),
    ),
    target: Type.Optional(Target),
  }),
  output: ReleaseNotes,
  annotations: { idempotent: true },
  untrusted: () => ['/body'],

  handler: async ({ hearth, repo }, { tag_name, previous_tag, target = repo.default_branch }) => {
    requireTagName(tag_name)
    const commit = await findTarget(hearth, repo, tag_name, target)
    const before =
      previous_tag === undefined
        ? undefined
        : {
            tag: previous_tag,
            commit: await resolveCommit(hearth, repo, tagRef(previous_tag), 'previous_tag'),
          }
    return draftNotes(hearth, repo, { tag_name, target: commit, before })
  },
})
