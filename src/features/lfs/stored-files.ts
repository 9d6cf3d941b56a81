/** The large files of a commit that this forge has, for archives. */
import type { storedLargeFiles } from '#features/repos/index.ts'
import { familyOf } from './family.ts'
import { findObject, hasObjects } from './store-objects.ts'

/** Further pointers stay pointers. More files than an archive has unless an administrator says so. */
const MAX_POINTERS = 20_000

/** A pointer that names another size than the file has stays as it is: git-lfs refuses it too. */
export const listStoredFiles: Parameters<(typeof storedLargeFiles)['with']>[0] = async (
  hearth,
  row,
  commit,
) => {
  const family = familyOf(row)
  if (!hasObjects(hearth.db, family)) return []
  const pointers = await hearth.git.listPointers(row.store, commit, MAX_POINTERS)
  return pointers.flatMap(({ blob, oid, size }) => {
    const stored = findObject(hearth.db, family, oid)
    return stored?.size_in_bytes === size ? [{ blob, sha256: oid, size }] : []
  })
}
