/**
 * Public SSH keys of users. Signatures of commits and tags are verified against them. A leaf
 * feature.
 */
import type { Feature } from '#core/hearth.ts'
import { signingKeys } from '#features/repos/index.ts'
import { findSigner } from './store.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'
export { findKeyCaller, findSshCaller } from './ssh-callers.ts'

export const feature: Feature = {
  name: 'keys',
  operations: Object.values(operations),
  extensions: [signingKeys.with(findSigner)],
}
