/** Boards of projects: issues of several repositories in columns. A leaf. */
import type { Feature } from '#core/hearth.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'

export const feature: Feature = {
  name: 'boards',
  operations: Object.values(operations),
}
