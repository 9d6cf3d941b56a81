import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Time, Type } from '#core/schema.ts'
import { Refusal } from '#lib/errors.ts'
import { timestamp } from '#lib/time.ts'
import { artifactAddress } from './artifact-token.ts'
import { ArtifactId } from './schema.ts'
import { requireArtifact } from './store-artifacts.ts'

export const getArtifactLink = operation({
  name: 'get_artifact_link',
  summary:
    'Get a link to the zip archive of an artifact. The link needs no token and works for 10 minutes.',
  keywords: ['download an artifact', 'download build output', 'artifact zip'],
  route: 'GET /repos/{owner}/{name}/actions/artifacts/{id}/zip',
  tool: true,
  toolset: 'workflows',
  access: readsRepoAs('read', { scope: 'workflows:read' }),
  input: Type.Object({ repo: RepoPath, id: ArtifactId }),
  output: Type.Object({ url: Type.String(), expires_at: Time }, { $id: 'ArtifactLink' }),
  redirect: ({ url }) => url,

  handler: ({ hearth, db, repo }, { id }) => {
    const row = requireArtifact(db, repo, id)
    if (row.sha256 === null)
      throw new Refusal('gone', `the artifact ${row.name} has expired: its files are deleted`)
    const { url, expires } = artifactAddress(hearth, row)
    return { url, expires_at: timestamp(expires) }
  },
})
