import type { Tx } from '#core/write.ts'
import type { RepoRow } from '#features/repos/index.ts'
import { releasePublished } from './events.ts'
import type { ReleaseRow } from './store.ts'

/** Appends the event of a published release. */
export const appendPublished = (
  tx: Tx,
  repo: RepoRow,
  release: Pick<ReleaseRow, 'id' | 'tag_name' | 'name' | 'prerelease'>,
): void =>
  void tx.append(
    releasePublished,
    { workspace_id: repo.workspace_id, repo_id: repo.id },
    {
      release: release.id,
      tag_name: release.tag_name,
      name: release.name,
      prerelease: release.prerelease === 1,
    },
  )

/** Converts the input `latest` to its column: 1, 0, or null when not given. */
export const latestChoice = (said: boolean | undefined): 0 | 1 | null =>
  said === undefined ? null : said ? 1 : 0
