/** Creates a release, with files that were stored before it. */
import type { RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Context } from '#core/operation.ts'
import { typeId } from '#core/ids.ts'
import type { Write } from '#core/write.ts'
import { manyLines, oneLine, refuseSecrets } from '#features/issues/index.ts'
import { requireLive } from '#features/repos/index.ts'
import { appendPublished, latestChoice } from './announce-release.ts'
import { updateLatest } from './latest-release.ts'
import { draftNotes } from './release-notes.ts'
import { releaseRecord } from './release-record.ts'
import { findTarget, prepareTag } from './release-tag.ts'
import {
  releaseExists,
  requireMayBeLatest,
  requireOwnRepo,
  requireTagName,
} from './requirements.ts'
import { MAX_NOTES_LENGTH, type NewRelease, type Release } from './schema.ts'
import { addStagedFile, type StagedFile } from './staged-files.ts'
import { clearOtherChoices, findReleaseByTag, insertRelease, requireRelease } from './store.ts'

type NewReleaseContext = Context & { repo: RepoGrant; caller: SignedIn; write: Write }

export async function makeRelease(
  { hearth, db, repo, caller, write }: NewReleaseContext,
  {
    tag_name,
    target,
    draft = false,
    prerelease = false,
    generate_notes = false,
    ...input
  }: NewRelease,
  files: readonly StagedFile[] = [],
): Promise<Release> {
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
    for (const file of files) addStagedFile(tx, repo, { id, uploader_id: caller.id }, file)
    const made = requireRelease(tx.db, repo.id, id, true)
    if (!draft) appendPublished(tx, row, made)
    return releaseRecord(hearth, repo, made)
  })
}
