import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, Sha, Type } from '#core/schema.ts'
import { notFound, Refusal } from '#lib/errors.ts'
import { refsOf } from '../refs/ref-cache.ts'
import { ObjectId } from '../schema-code.ts'
import { ARCHIVE_FORMATS, readArchiveToken } from './archive-token.ts'
import { listLargeFiles } from './list-large-files.ts'
import { repoById } from '../store/repos.ts'

/** Tags that are handed on for `%(describe)` of files with `export-subst`. */
const MAX_DESCRIBED_TAGS = 20_000

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
  output: Type.Object({
    store: Type.String(),
    commit: Sha,
    folder: Type.String(),
    format: OneOf(ARCHIVE_FORMATS),
    head: Type.String(),
    refs: Type.Array(
      Type.Object({ name: Type.String(), oid: ObjectId, peeled: Nullable(ObjectId) }),
      { description: 'The refs that point at the commit.' },
    ),
    tags: Type.Readonly(
      Type.Array(Type.Object({ name: Type.String(), oid: ObjectId, peeled: Nullable(ObjectId) }), {
        description: 'All tags, unless there are too many to look for the nearest one.',
      }),
    ),
    large_files: Type.Readonly(
      Type.Array(
        Type.Object({ blob: ObjectId, sha256: Type.String(), size: Type.Integer({ minimum: 0 }) }),
        { description: 'Files of Git LFS in place of their pointers.' },
      ),
    ),
  }),

  handler: async ({ hearth, db, now_ms }, { token, file }) => {
    const claims = readArchiveToken(hearth, token)
    const format = ARCHIVE_FORMATS.find((one) => file === `${claims?.folder}.${one}`)
    if (!claims || !format) throw notFound('this archive')
    if (claims.expires <= now_ms)
      throw new Refusal(
        'gone',
        'this link has expired: it worked for 10 minutes. Get a new one where you got it',
      )
    const row = repoById(db, claims.repo_id)
    const parent = row?.parent_id ? repoById(db, row.parent_id) : row
    if (!row || !parent || parent.deleted_at !== null) throw notFound('this archive')
    const { commit, folder } = claims
    const { head, refs } = refsOf(hearth, row.id)
    const atCommit = refs.filter(({ oid, peeled }) => oid === commit || peeled === commit)
    const all = refs.filter(({ name }) => name.startsWith('refs/tags/'))
    const tags = all.length > MAX_DESCRIBED_TAGS ? [] : all
    return {
      store: row.store,
      commit,
      folder,
      format,
      head,
      refs: [...atCommit],
      tags,
      large_files: [...(await listLargeFiles(hearth, row, commit))],
    }
  },
})
