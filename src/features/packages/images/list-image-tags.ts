import { readsPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { packageOf } from '../find-version.ts'
import { packageInputs } from '../schema.ts'
import { listTagNames } from './store-images.ts'

const MAX_TAGS = 1000

export const listImageTags = operation({
  name: 'list_image_tags',
  summary: 'List the tags of container images after a name, in the order of code points.',
  route: null,
  access: readsPackage(),
  input: Type.Object({
    ...packageInputs,
    last: Type.String({ maxLength: 200 }),
    n: Type.Integer({ minimum: 0, maximum: MAX_TAGS }),
  }),
  output: Type.Object({ tags: Type.Array(Type.String()), more: Type.Boolean() }),

  handler: ({ db, package: grant }, { last, n }) => {
    const tags = listTagNames(db, packageOf(db, grant).id, last, n + 1)
    return { tags: tags.slice(0, n), more: n > 0 && tags.length > n }
  },
})
