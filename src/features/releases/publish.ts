import type { Tx } from '#core/write.ts'
import type { RepoRow } from '#features/repos/index.ts'
import { releasePublished } from './events.ts'
import type { ReleaseRow } from './store.ts'

/** Tells that a release is out, in the transaction that published it. */
export const announce = (
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

/** 1 for yes, 0 for no, null for what was not said. */
export const choice = (said: boolean | undefined): 0 | 1 | null =>
  said === undefined ? null : said ? 1 : 0
