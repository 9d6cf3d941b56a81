import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { auditRepo, requireLive } from '#features/repos/index.ts'
import { ArtifactId } from './schema.ts'
import { removeArtifact, requireArtifact } from './store-artifacts.ts'

export const deleteArtifact = operation({
  name: 'delete_artifact',
  summary: 'Delete an artifact of a run for good (Write). The answer is empty.',
  keywords: ['remove build output', 'free space of artifacts'],
  route: 'DELETE /repos/{owner}/{name}/actions/artifacts/{id}',
  toolset: 'workflows',
  access: writesRepo('write', { scope: 'workflows:write' }),
  annotations: { destructive: true },
  input: Type.Object({ repo: RepoPath, id: ArtifactId }),
  output: Nothing,
  status: 204,

  handler: ({ repo, write }, { id }) =>
    write((tx) => {
      const live = requireLive(tx.db, repo.id)
      const row = requireArtifact(tx.db, repo, id)
      removeArtifact(tx, row.id)
      auditRepo(tx, 'artifact.deleted', live, {
        before: { artifact: row.id, name: row.name, run: row.run_id },
      })
      return null
    }),
})
