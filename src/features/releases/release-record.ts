import { encodePath } from '#lib/percent-encoding.ts'
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import { actorOf, preloadActors } from '#features/accounts/index.ts'
import { findRef, frozenReleases, preloadRefs, tagRef } from '#features/repos/index.ts'
import { MAX_ASSETS, type Asset, type Release } from './schema.ts'
import { assetRowsOf, type AssetRow } from './store-assets.ts'
import type { ReleaseRow } from './store.ts'

type RecordRepo = Pick<RepoGrant, 'id' | 'full_name'>

const releasesUrl = ({ settings }: Hearth, { full_name }: RecordRepo): string =>
  `${settings.site_url}/${full_name}/releases`

/**
 * Returns the ruleset that makes a published release immutable; null when none does, and for
 * drafts.
 */
export const findFreezingRuleset = (hearth: Hearth, row: ReleaseRow) =>
  row.published_at === null
    ? null
    : (frozenReleases
        .all(hearth)
        .map((ask) => ask(hearth, row.repo_id, row.tag_name))
        .find((found) => found !== null) ?? null)

/**
 * Builds the record of a file. Its URL contains the tag; for a draft the release id, because the
 * tag of a draft may change.
 */
export const assetRecord = (
  hearth: Hearth,
  repo: RecordRepo,
  release: ReleaseRow,
  row: AssetRow,
): Asset => ({
  id: row.id,
  name: row.name,
  label: row.label,
  content_type: row.content_type,
  size_in_bytes: row.size_in_bytes,
  sha256: row.sha256,
  download_count: row.download_count,
  uploader: actorOf(hearth, row.uploader_id),
  created_at: row.created_at,
  download_url: `${releasesUrl(hearth, repo)}/download/${encodePath(release.published_at === null ? release.id : release.tag_name)}/${encodeURIComponent(row.name)}`,
})

export function releaseRecord(hearth: Hearth, repo: RecordRepo, row: ReleaseRow): Release {
  const [record] = releaseRecords(hearth, repo, [row])
  if (!record) throw new TypeError('one row has one record')
  return record
}

/** The records of a page of releases of one repository. */
export const releaseRecords = (
  hearth: Hearth,
  repo: RecordRepo,
  rows: readonly ReleaseRow[],
): Release[] =>
  readScope(hearth.db, () => {
    preloadRefs(
      hearth.db,
      repo.id,
      rows.map(({ tag_name }) => tagRef(tag_name)),
    )
    const assets = assetRowsOf(
      hearth.db,
      rows.map(({ id }) => id),
      MAX_ASSETS,
    )
    preloadActors(hearth.db, [
      ...rows.map(({ author_id }) => author_id),
      ...[...assets.values()].flat().map(({ uploader_id }) => uploader_id),
    ])
    return rows.map((row) => recordOf(hearth, repo, row, assets.get(row.id) ?? []))
  })

function recordOf(
  hearth: Hearth,
  repo: RecordRepo,
  row: ReleaseRow,
  assets: readonly AssetRow[],
): Release {
  const tag = findRef(hearth.db, repo.id, tagRef(row.tag_name))
  return {
    id: row.id,
    tag_name: row.tag_name,
    target: row.target,
    name: row.name,
    body: row.body,
    draft: row.published_at === null,
    prerelease: row.prerelease === 1,
    latest: row.latest === 1,
    author: actorOf(hearth, row.author_id),
    created_at: row.created_at,
    published_at: row.published_at,
    updated_at: row.updated_at,
    html_url:
      row.published_at === null
        ? `${releasesUrl(hearth, repo)}/${row.id}`
        : `${releasesUrl(hearth, repo)}/tag/${encodePath(row.tag_name)}`,
    tag_sha: tag && (tag.peeled ?? tag.oid),
    assets: assets.map((asset) => assetRecord(hearth, repo, row, asset)),
    zipball_url: `${hearth.settings.base_url}/repos/${repo.full_name}/zipball/${encodeURIComponent(row.published_at === null ? row.target : row.tag_name)}`,
    notes_generated: row.notes_generated === 1,
    immutable: findFreezingRuleset(hearth, row) !== null,
  }
}
