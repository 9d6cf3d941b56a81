/** Adds releases of another forge, with their dates and authors and without events. */
import type { Tx } from '#core/write.ts'
import { typeId, typeIdAt } from '#core/ids.ts'
import { asOf, cutTo, importedLine } from '#features/issues/index.ts'
import type { ImportedRelease, ReleaseImporter } from '#features/repos/index.ts'
import { findQuotaProblem } from '#features/workspaces/index.ts'
import { Refusal } from '#lib/errors.ts'
import { chooseContentType, parseAssetName } from './asset-inputs.ts'
import { updateLatest } from './latest-release.ts'
import { MAX_ASSETS, MAX_NOTES_LENGTH } from './schema.ts'
import { findReleaseByTag, insertRelease } from './store.ts'
import { countAssets, findAsset, insertAsset, listAssetRows } from './store-assets.ts'

const MAX_NAME_LENGTH = 256

const nameProblem = (given: string): { name: string } | { problem: string } => {
  try {
    return { name: parseAssetName(given) }
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.message }
    throw error
  }
}

/** Adds the files that the release lacks; returns why others are left out. */
function addFiles(
  tx: Tx,
  workspace_id: string,
  release_id: string,
  { author_id, created_ms, files, tag_name }: ImportedRelease,
): string[] {
  return files.flatMap((file) => {
    const left = (why: string): string[] => [
      `the file ${file.name.slice(0, 100)} of ${tag_name.slice(0, 100)} was left out: ${why}`,
    ]
    const parsed = nameProblem(file.name)
    if ('problem' in parsed) return left(parsed.problem)
    const { name } = parsed
    if (findAsset(tx.db, release_id, name)) return []
    if (countAssets(tx.db, release_id) >= MAX_ASSETS) return left('the release has too many')
    const tooMuch = findQuotaProblem(tx.hearth, workspace_id, 'artifacts_bytes', file.size)
    if (tooMuch !== null) return left(tooMuch)
    insertAsset(asOf(tx, created_ms), {
      id: typeId('ast', asOf(tx, created_ms).now_ms),
      release_id,
      name,
      label: null,
      content_type: chooseContentType(undefined, file.content_type, name),
      size_in_bytes: file.size,
      sha256: file.sha256,
      uploader_id: author_id,
    })
    return []
  })
}

export const releaseImporter: ReleaseImporter = {
  filesOf(db, repo_id, tag_name) {
    const release = findReleaseByTag(db, repo_id, tag_name)
    return release && listAssetRows(db, release.id, MAX_ASSETS).map(({ name }) => name)
  },

  add(tx, { id: repo_id, workspace_id }, release) {
    const there = findReleaseByTag(tx.db, repo_id, release.tag_name)
    const then = asOf(tx, release.created_ms)
    const id = there?.id ?? typeIdAt('rel', then.now_ms, release.order)
    if (!there) {
      insertRelease(then, {
        id,
        repo_id,
        tag_name: release.tag_name,
        target_name: release.target_name,
        target: release.target,
        name: importedLine(release.name.trim() || release.tag_name, MAX_NAME_LENGTH),
        body: cutTo(release.body.toWellFormed().replaceAll('\0', ''), MAX_NOTES_LENGTH),
        notes_generated: 0,
        prerelease: release.prerelease ? 1 : 0,
        latest_choice: null,
        author_id: release.author_id,
        published_at: release.published_ms === null ? null : asOf(tx, release.published_ms).now,
      })
      updateLatest(tx, repo_id)
    }
    return { id, left: addFiles(tx, workspace_id, id, release) }
  },
}
