import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { manyLines, oneLine, refuseSecrets } from '#features/issues/index.ts'
import { requireLive } from '#features/repos/index.ts'
import { typeId } from '#core/ids.ts'
import { updateLatest } from './latest-release.ts'
import { draftNotes } from './release-notes.ts'
import { appendPublished, latestChoice } from './announce-release.ts'
import { releaseRecord } from './release-record.ts'
import {
  requireMayBeLatest,
  requireOwnRepo,
  requireTagName,
  releaseExists,
} from './requirements.ts'
import { MAX_NOTES_LENGTH, Release, TagName, Target, releaseInputs } from './schema.ts'
import { findReleaseByTag, clearOtherChoices, insertRelease, requireRelease } from './store.ts'
import { prepareTag, findTarget } from './release-tag.ts'

export const createRelease = operation({
  name: 'create_release',
  summary:
    'Publish a version (Write): a tag with notes; a missing tag is made at target. As a draft it waits for its files, seen by those with Write alone. generate_notes adds what was merged since the last release.',
  keywords: [
    'publish a version',
    'new release',
    'ship a version',
    'cut a release',
    'release a version',
  ],
  route: 'POST /repos/{owner}/{name}/releases',
  toolset: 'releases',
  listed: 'default',
  access: writesRepo('write', { scope: 'repo:write' }),
  input: Type.Object({
    repo: RepoPath,
    tag_name: TagName,
    target: Type.Optional(Target),
    ...releaseInputs,
    generate_notes: Type.Optional(
      Type.Boolean({
        description: 'Add notes drafted from the pull requests since the release before.',
      }),
    ),
  }),
  output: Release,
  status: 201,

  handler: async (
    { hearth, db, repo, caller, write },
    { tag_name, target, draft = false, prerelease = false, generate_notes = false, ...input },
  ) => {
    requireOwnRepo(repo)
    requireTagName(tag_name)
    requireMayBeLatest(input, prerelease)
    if (findReleaseByTag(db, repo.id, tag_name)) throw releaseExists(tag_name)
    const name = (input.name ?? '').trim() === '' ? tag_name : oneLine('name', input.name ?? '')
    const given = manyLines('body', input.body ?? '')
    refuseSecrets(db, repo.id, 'body', given)
    const target_name = target ?? repo.default_branch
    const tag = draft ? null : await prepareTag(hearth, repo, caller, tag_name, target_name)
    const commit = tag?.target ?? (await findTarget(hearth, repo, tag_name, target_name))
    const notes = generate_notes
      ? await draftNotes(hearth, repo, { tag_name, target: commit, before: undefined })
      : null
    const body = [given.trimEnd(), notes?.body ?? '']
      .filter((part) => part !== '')
      .join('\n\n')
      .slice(0, MAX_NOTES_LENGTH)
    return write((tx) => {
      const row = requireLive(tx.db, repo.id)
      if (findReleaseByTag(tx.db, repo.id, tag_name)) throw releaseExists(tag_name)
      tag?.make(tx)
      const id = typeId('rel', tx.now_ms)
      insertRelease(tx, {
        id,
        repo_id: repo.id,
        tag_name,
        target_name,
        target: commit,
        name,
        body,
        notes_generated: notes ? 1 : 0,
        prerelease: prerelease ? 1 : 0,
        latest_choice: latestChoice(input.latest),
        author_id: caller.id,
        published_at: draft ? null : tx.now,
      })
      if (input.latest === true && !draft) clearOtherChoices(tx, repo.id, id)
      updateLatest(tx, repo.id)
      const made = requireRelease(tx.db, repo.id, id, true)
      if (!draft) appendPublished(tx, row, made)
      return releaseRecord(hearth, repo, made)
    })
  },
})
