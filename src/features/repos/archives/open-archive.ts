import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Sha, Type } from '#core/schema.ts'
import { notFound, Refusal } from '#lib/errors.ts'
import { readArchiveToken } from './archive-token.ts'
import { repoById } from '../store/repos.ts'

/**
 * What the archive route needs to send an archive. The link itself is the permission, whoever has
 * it.
 */
export const openArchive = operation({
  name: 'open_archive',
  summary: 'Say what an archive link leads to.',
  route: null,
  access: publicRead(),
  input: Type.Object({
    token: Type.String({ maxLength: 2000 }),
    file: Type.String({ maxLength: 300 }),
  }),
  output: Type.Object({ store: Type.String(), commit: Sha, folder: Type.String() }),

  handler: ({ hearth, db, now_ms }, { token, file }) => {
    const claims = readArchiveToken(hearth, token)
    if (!claims || file !== `${claims.folder}.zip`) throw notFound('this archive')
    if (claims.expires <= now_ms)
      throw new Refusal(
        'gone',
        'this link has expired: it worked for 10 minutes. Get a new one where you got it',
      )
    const row = repoById(db, claims.repo_id)
    const parent = row?.parent_id ? repoById(db, row.parent_id) : row
    if (!row || !parent || parent.deleted_at !== null) throw notFound('this archive')
    return { store: row.store, commit: claims.commit, folder: claims.folder }
  },
})
