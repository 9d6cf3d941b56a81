import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { manyLines, oneLine, refuseSecrets } from '#features/issues/index.ts'
import { requireLive } from '#features/repos/index.ts'
import { conflict } from '#lib/errors.ts'
import { updateLatest } from './latest-release.ts'
import { appendPublished, latestChoice } from './announce-release.ts'
import { releaseRecord } from './release-record.ts'
import {
  requireMayBeLatest,
  requireTagName,
  requireNotFrozen,
  releaseExists,
} from './requirements.ts'
import { Release, ReleaseId, TagName, Target, releaseInputs } from './schema.ts'
import { findReleaseByTag, clearOtherChoices, requireRelease, setRelease } from './store.ts'
import { prepareTag, findTarget } from './release-tag.ts'

/** The title of a release; its tag when the title is empty. */
const releaseName = (name: string, tag_name: string): string =>
  name.trim() === '' ? tag_name : oneLine('name', name)

export const updateRelease = operation({
  name: 'update_release',
  summary:
    'Change a release (Write). draft: false publishes a draft, which makes its tag when it is missing; draft: true takes a published one back, and its tag stays.',
  keywords: [
    'edit a release',
    'publish a draft release',
    'change release notes',
    'mark as prerelease',
  ],
  route: 'PATCH /repos/{owner}/{name}/releases/{id}',
  toolset: 'releases',
  listed: 'default',
  access: writesRepo('write', { scope: 'repo:write' }),
  input: Type.Object({
    repo: RepoPath,
    id: ReleaseId,
    tag_name: Type.Optional(TagName),
    target: Type.Optional(Target),
    ...releaseInputs,
  }),
  output: Release,

  handler: async ({ hearth, db, repo, caller, write }, { id, target, ...input }) => {
    const seen = requireRelease(db, repo.id, id, true)
    const tag_name = input.tag_name ?? seen.tag_name
    const draft = input.draft ?? seen.published_at === null
    const prerelease = input.prerelease ?? seen.prerelease === 1
    const target_name = target ?? seen.target_name
    if (tag_name !== seen.tag_name) {
      requireTagName(tag_name)
      if (findReleaseByTag(db, repo.id, tag_name)) throw releaseExists(tag_name)
    }
    requireMayBeLatest(input, prerelease)
    const turned = tag_name !== seen.tag_name || (draft && seen.published_at !== null)
    if (turned)
      requireNotFrozen(hearth, seen, 'its tag cannot change, and it cannot become a draft')
    const name = input.name === undefined ? seen.name : releaseName(input.name, tag_name)
    const body = input.body === undefined ? seen.body : manyLines('body', input.body)
    if (body !== seen.body) refuseSecrets(db, repo.id, 'body', body)
    const places = tag_name !== seen.tag_name || target !== undefined
    const tag =
      !draft && (places || seen.published_at === null)
        ? await prepareTag(hearth, repo, caller, tag_name, target_name)
        : null
    const commit =
      tag?.target ??
      (draft && places ? await findTarget(hearth, repo, tag_name, target_name) : seen.target)
    return write((tx) => {
      const live = requireLive(tx.db, repo.id)
      const row = requireRelease(tx.db, repo.id, id, true)
      // The preparation is valid only for the release as it was read.
      if (row.tag_name !== seen.tag_name || row.published_at !== seen.published_at)
        throw conflict(
          'in_progress',
          'somebody else changed this release meanwhile: look at it again',
        )
      if (turned)
        requireNotFrozen(hearth, row, 'its tag cannot change, and it cannot become a draft')
      const other = findReleaseByTag(tx.db, repo.id, tag_name)
      if (other && other.id !== row.id) throw releaseExists(tag_name)
      tag?.make(tx)
      const kept = prerelease && row.latest_choice === 1 ? null : row.latest_choice
      setRelease(tx, row, {
        tag_name,
        target_name,
        target: commit,
        name,
        body,
        notes_generated: input.body === undefined || body === row.body ? row.notes_generated : 0,
        prerelease: prerelease ? 1 : 0,
        latest_choice: input.latest === undefined ? kept : latestChoice(input.latest),
        published_at: draft ? null : (row.published_at ?? tx.now),
      })
      const now = requireRelease(tx.db, repo.id, id, true)
      if (now.latest_choice === 1 && !draft) clearOtherChoices(tx, repo.id, id)
      updateLatest(tx, repo.id)
      if (!draft && row.published_at === null) appendPublished(tx, live, now)
      return releaseRecord(hearth, repo, requireRelease(tx.db, repo.id, id, true))
    })
  },
})
