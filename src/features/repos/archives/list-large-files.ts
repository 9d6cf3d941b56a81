import type { Hearth } from '#core/hearth.ts'
import type { Oid } from '#git'
import { storedLargeFiles, type StoredLargeFile } from '../extension-points.ts'
import type { RepoRow } from '../store/repos.ts'

/** The large files that an archive of a commit has in place of their pointers. */
export async function listLargeFiles(
  hearth: Hearth,
  row: Pick<RepoRow, 'id' | 'parent_id' | 'store'>,
  commit: Oid,
): Promise<readonly StoredLargeFile[]> {
  const [list] = storedLargeFiles.all(hearth)
  return list ? await list(hearth, row, commit) : []
}
