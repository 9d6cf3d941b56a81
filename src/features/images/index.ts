/** Images from other sites in documents, fetched by this site for its readers. A leaf. */
import type { Feature } from '#core/hearth.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export { imageKey } from './image-key.ts'

export const feature: Feature = { name: 'images', operations: Object.values(operations) }
