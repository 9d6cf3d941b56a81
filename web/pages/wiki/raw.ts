import { getRepo } from '#features/repos/index.ts'
import { openWikiFile } from '#features/wiki/index.ts'
import { respondWithBlob } from '../code/raw.ts'
import type { Resource } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'

/** A file of the wiki, for the pictures of its pages. */
export const wikiFile: Resource = {
  path: '/:workspace/:repo/wiki/_raw/*path',
  async respond(visit) {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const path = visit.params.path ?? ''
    const blob = await visit.call(openWikiFile, { repo: repoOf(visit), path })
    return respondWithBlob(visit, { blob, path, isPrivate: repo.private })
  },
}
