import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { manyLines, oneLine, refuseSecrets } from '#features/issues/index.ts'
import { requireLive } from '#features/repos/index.ts'
import { typeId } from '#lib/typeid.ts'
import { settleLatest } from './latest.ts'
import { draftNotes } from './notes.ts'
import { announce, choice } from './publish.ts'
import { releaseRecord } from './record.ts'
import { requireMayBeLatest, requireOwnRepo, requireTagName, taken } from './rights.ts'
import { LONGEST_NOTES, Release, TagName, Target, told } from './schema.ts'
import { findByTag, forgetChosen, insertRelease, requireRelease } from './store.ts'
import { prepareTag, targetOf } from './tag.ts'

export const createRelease = operation({
  name: 'create_release',
  summary:
    'Publish a version (Write): a tag with notes; a missing tag is made at target. As a draft it waits for its files, seen by those with Write alone. generate_notes adds what was merged since the last release.',
  route: 'POST /repos/{owner}/{name}/releases',
  toolset: 'releases',
  access: writesRepo('write', { scope: 'repo:write' }),
  input: Type.Object({
    repo: RepoPath,
    tag_name: TagName,
    target: Type.Optional(Target),
    ...told,
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
    if (findByTag(db, repo.id, tag_name)) throw taken(tag_name)
    const name = (input.name ?? '').trim() === '' ? tag_name : oneLine('name', input.name ?? '')
    const given = manyLines('body', input.body ?? '')
    refuseSecrets(db, repo.id, 'body', given)
    const target_name = target ?? repo.default_branch
    const tag = draft ? null : await prepareTag(hearth, repo, caller, tag_name, target_name)
    const commit = tag?.target ?? (await targetOf(hearth, repo, tag_name, target_name))
    const notes = generate_notes
      ? await draftNotes(hearth, repo, { tag_name, target: commit, before: undefined })
      : null
    const body = [given.trimEnd(), notes?.body ?? '']
      .filter((part) => part !== '')
      .join('\n\n')
      .slice(0, LONGEST_NOTES)
    return write((tx) => {
      const row = requireLive(tx.db, repo.id)
      if (findByTag(tx.db, repo.id, tag_name)) throw taken(tag_name)
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
        latest_choice: choice(input.latest),
        author_id: caller.id,
        published_at: draft ? null : tx.now,
      })
      if (input.latest === true && !draft) forgetChosen(tx, repo.id, id)
      settleLatest(tx, repo.id)
      const made = requireRelease(tx.db, repo.id, id, true)
      if (!draft) announce(tx, row, made)
      return releaseRecord(hearth, repo, made)
    })
  },
})
