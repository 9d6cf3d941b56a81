import { createsPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { requireQuota } from '#features/workspaces/index.ts'
import { requireFormat } from '../formats/index.ts'
import { openPackageForWrite } from '../publish-package-version.ts'
import { packageInputs } from '../schema.ts'
import { linkBlob } from './store-images.ts'

/** Creates the package of a first layer. It is listed once it has a manifest. */
export const linkImageBlob = operation({
  name: 'link_image_blob',
  summary: 'Give a package of container images a layer whose bytes are stored.',
  route: null,
  access: createsPackage(),
  input: Type.Object({
    ...packageInputs,
    digest: Type.String({ maxLength: 200 }),
    sha256: Type.String({ minLength: 64, maxLength: 64 }),
    size_in_bytes: Type.Integer({ minimum: 0 }),
  }),
  output: Nothing,

  handler: (
    { hearth, package: grant, caller, write },
    { package_name, digest, sha256, size_in_bytes },
  ) =>
    write((tx) => {
      requireQuota(hearth, tx.db, grant.workspace_id, 'packages_bytes', size_in_bytes)
      const format = requireFormat(grant.type)
      const row = openPackageForWrite(tx, grant, caller, format, package_name, null)
      linkBlob(tx, row.id, { digest, sha256, size_in_bytes })
      return null
    }),
})
