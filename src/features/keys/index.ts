/** Public SSH keys of people: signatures of commits and tags are held against them. A leaf. */
import type { Feature } from '#core/hearth.ts'
import { signingKeys } from '#features/repos/index.ts'
import { addKey } from './add-key.ts'
import { listKeys } from './list-keys.ts'
import { removeKey } from './remove-key.ts'
import { signerOf } from './store.ts'

export * from './schema.ts'
export { addKey, listKeys, removeKey }

export const feature: Feature = {
  name: 'keys',
  operations: [listKeys, addKey, removeKey],
  extensions: [signingKeys.with(signerOf)],
}
