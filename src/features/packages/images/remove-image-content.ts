import { writesPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, OneOf, Type } from '#core/schema.ts'
import { actorId } from '#core/caller.ts'
import { notFound } from '#lib/errors.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { packageOf } from '../find-version.ts'
import { nameVersion } from './image-versions.ts'
import { auditPackage, RESTORABLE_DAYS, updateTotals } from '../lifecycle.ts'
import { packageInputs } from '../schema.ts'
import { findImageBlob, hasManifest, removeManifest, unlinkBlob } from './store-images.ts'
import { findTag, findVersion, removeTag, removeTagsOf, setVersion } from '../store-versions.ts'

/** A manifest with a version can be restored for 30 days. The package stays, also when empty. */
export const removeImageContent = operation({
  name: 'remove_image_content',
  summary: 'Delete a tag, a manifest or a layer of container images, for their client.',
  route: null,
  access: writesPackage('admin'),
  input: Type.Object({
    ...packageInputs,
    kind: OneOf(['tag', 'manifest', 'blob'] as const),
    reference: Type.String({ maxLength: 300 }),
  }),
  output: Nothing,

  handler: ({ package: grant, caller, write }, { kind, reference }) =>
    write((tx) => {
      const row = packageOf(tx.db, grant)
      const tag = kind === 'tag' ? findTag(tx.db, row.id, reference) : null
      const version = kind === 'manifest' ? findVersion(tx.db, row.id, reference) : null
      const isThere =
        kind === 'tag'
          ? tag !== null
          : kind === 'manifest'
            ? hasManifest(tx.db, row.id, reference) && version?.deleted_at == null
            : findImageBlob(tx.db, row.id, reference) !== null
      if (!isThere) throw notFound(`the ${kind} ${reference}`)
      if (kind === 'blob') unlinkBlob(tx, row.id, reference)
      else if (tag) {
        removeTag(tx, row.id, reference)
        nameVersion(tx, tag.version_id)
      } else if (version) {
        removeTagsOf(tx, version.id)
        setVersion(tx, version.id, {
          deleted_at: tx.now,
          deleted_by: actorId(caller),
          purge_at: timestamp(tx.now_ms + RESTORABLE_DAYS * DAY),
        })
      } else removeManifest(tx, row.id, reference)
      updateTotals(tx, row.id)
      auditPackage(tx, `package.${kind}_deleted`, row, { reference })
      return null
    }),
})
