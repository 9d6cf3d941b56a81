import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { readImageAddress } from '#lib/image-address.ts'
import { fetchImage } from './fetch-image.ts'
import { imageKey } from './image-key.ts'

export const openImage = operation({
  name: 'open_image',
  summary: 'An image from another site that a document of this site shows, for its page.',
  route: null,
  access: publicRead({ scope: 'repo:read' }),
  input: Type.Object({
    signature: Type.String({ maxLength: 64 }),
    address: Type.String({ maxLength: 12_000, description: 'In hex.' }),
  }),
  output: Type.Object({ type: Type.String(), bytes: Type.Unsafe<Uint8Array>(Type.Unknown()) }),

  handler: async ({ hearth, origin }, { signature, address: hex }) => {
    const address =
      hearth.settings.images.external === 'proxy'
        ? readImageAddress(imageKey(hearth), signature, hex)
        : null
    if (address === null) throw notFound('the image')
    return await fetchImage(hearth, address, origin.ip ?? '')
  },
})
