/**
 * One person's activity across all repositories, for their start page and their public profile.
 * The feature owns no tables.
 */
import type { Feature } from '#core/hearth.ts'
import * as operations from './operations.ts'

export * from './operations.ts'

export const feature: Feature = { name: 'overview', operations: Object.values(operations) }
