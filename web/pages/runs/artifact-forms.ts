/** Downloads and deletes artifacts of runs. */
import { deleteArtifact, getArtifactLink } from '#features/artifacts/index.ts'
import { repoPath } from '../../paths.ts'
import { action, redirectToFile, redirectWithFlash, type Resource, type Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { runPage } from './run.tsx'

const target = (visit: Visit) => ({ repo: repoOf(visit), id: visit.params.artifact ?? '' })

/** Leads to the archive, whose link works for ten minutes. */
export const artifactDownload: Resource = {
  path: '/:workspace/:repo/runs/:run/artifacts/:artifact',
  async respond(visit) {
    const { url } = await visit.call(getArtifactLink, target(visit))
    return redirectToFile(visit, new URL(url).pathname)
  },
}

export const deleteArtifactForm = action({
  path: '/:workspace/:repo/runs/:run/artifacts/:artifact/delete',
  page: runPage,
  submit: async (visit) => {
    await visit.call(deleteArtifact, target(visit))
    const here = repoPath(repoOf(visit), `/runs/${encodeURIComponent(visit.params.run ?? '')}`)
    return redirectWithFlash(visit, here, 'artifact-deleted')
  },
})
