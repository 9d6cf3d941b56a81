import { readsPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Type } from '#core/schema.ts'
import { packageOf } from '../find-version.ts'
import { packageInputs } from '../schema.ts'
import { listReferrers, type ReferrerRow } from './store-images.ts'

export const listImageReferrers = operation({
  name: 'list_image_referrers',
  summary: 'List the manifests about a manifest: signatures, bills of materials, provenance.',
  route: null,
  access: readsPackage(),
  input: Type.Object({
    ...packageInputs,
    digest: Type.String({ maxLength: 200 }),
    artifact_type: Nullable(Type.String({ maxLength: 300 })),
  }),
  output: Type.Object({ manifests: Type.Array(Type.Unsafe<ReferrerRow>(Type.Object({}))) }),

  handler: ({ db, package: grant }, { digest, artifact_type }) => ({
    manifests: listReferrers(db, packageOf(db, grant).id, digest, artifact_type),
  }),
})
