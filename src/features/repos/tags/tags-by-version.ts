/** Orders the tags of a repository by version. */
import type { Db } from '#core/db.ts'
import { compareTagVersions, parseTagVersion } from '#lib/versions/tag.ts'
import { tagOf } from '../refs/ref-names.ts'
import { listRefsBelow, type RefRow } from '../store/refs.ts'

/** Repositories with more tags list them by the time of their last push. */
const MAX_SORTED_TAGS = 5_000
/** Longer names are no versions. Bounds the time that a name takes to parse. */
const MAX_VERSION_LENGTH = 64

const versionOf = ({ name }: RefRow) => {
  const tag = tagOf(name) ?? ''
  return tag.length > MAX_VERSION_LENGTH ? null : parseTagVersion(tag)
}

/**
 * Lists tags, the highest version first. Tags without a version come last, the most recently moved
 * first.
 */
export function listTagsByVersion(
  db: Db,
  repo_id: string,
  { q, limit, offset }: { q?: string; limit: number; offset: number },
): RefRow[] {
  const refs = listRefsBelow(db, repo_id, 'refs/tags', { q, limit: MAX_SORTED_TAGS + 1, offset: 0 })
  if (refs.length > MAX_SORTED_TAGS)
    return listRefsBelow(db, repo_id, 'refs/tags', { q, limit, offset })
  const tags = refs.map((ref) => ({ ref, version: versionOf(ref) }))
  tags.sort((a, b) =>
    a.version !== null && b.version !== null
      ? compareTagVersions(b.version, a.version)
      : Number(a.version === null) - Number(b.version === null),
  )
  return tags.slice(offset, offset + limit).map(({ ref }) => ref)
}
