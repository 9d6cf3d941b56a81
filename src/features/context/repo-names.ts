import { fullName } from '#features/repos/index.ts'
import { isReadable, type Place } from './place.ts'

/** The name of a repository of the workspace that the caller may read; null for another. */
export function repoNameOf(place: Place, repo_id: string | null): string | null {
  const name = repo_id === null ? null : fullName(place.hearth.db, repo_id)
  if (name === null || name.split('/')[0] !== place.workspace.slug) return null
  return isReadable(place, name) ? name : null
}
