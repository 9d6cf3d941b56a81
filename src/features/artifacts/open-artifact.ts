import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { notFound, Refusal } from '#lib/errors.ts'
import { repoById } from '#features/repos/index.ts'
import { readArtifactToken } from './artifact-token.ts'
import { findArtifact } from './store-artifacts.ts'

/** What the route of the link needs. The link itself is the permission, whoever has it. */
export const openArtifact = operation({
  name: 'open_artifact',
  summary: 'Say what a link to an artifact leads to.',
  route: null,
  access: publicRead(),
  input: Type.Object({ token: Type.String({ maxLength: 200 }) }),
  output: Type.Object({
    name: Type.String(),
    sha256: Type.String(),
    size_in_bytes: Type.Integer(),
  }),

  handler: ({ hearth, db, now_ms }, { token }) => {
    const claims = readArtifactToken(hearth, token)
    const row = claims === null ? null : findArtifact(db, claims.id)
    const repo = row === null ? null : repoById(db, row.repo_id)
    if (!claims || !row || !repo || repo.deleted_at !== null) throw notFound('this artifact')
    if (claims.expires <= now_ms)
      throw new Refusal(
        'gone',
        'this link has expired: it worked for 10 minutes. Get a new one where you got it',
      )
    if (row.sha256 === null)
      throw new Refusal('gone', `the artifact ${row.name} has expired: its files are deleted`)
    return { name: row.name, sha256: row.sha256, size_in_bytes: row.size_in_bytes }
  },
})
