import { readsPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { packageOf } from '../find-version.ts'
import { packageInputs } from '../schema.ts'
import { findImageBlob, type ImageBlobRow } from './store-images.ts'

export const openImageBlob = operation({
  name: 'open_image_blob',
  summary: 'Find a layer of a package of container images.',
  route: null,
  access: readsPackage(),
  input: Type.Object({ ...packageInputs, digest: Type.String({ maxLength: 200 }) }),
  output: Type.Unsafe<ImageBlobRow>(Type.Object({})),

  handler: ({ db, package: grant }, { digest }) => {
    const blob = findImageBlob(db, packageOf(db, grant).id, digest)
    if (!blob) throw notFound(`the blob ${digest}`)
    return blob
  },
})
