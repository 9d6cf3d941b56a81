/** Versions of container images: a manifest that has a tag, or that no other manifest names. */
import type { Tx } from '#core/write.ts'
import { listTagsOfVersion, requireVersion, setVersion } from '../store-versions.ts'

/** Names a version by its first tag, else by its digest. */
export function nameVersion(tx: Tx, version_id: string): void {
  const { normal_version } = requireVersion(tx.db, version_id)
  const [first] = listTagsOfVersion(tx.db, version_id)
  setVersion(tx, version_id, { version: first ?? normal_version })
}
