/**
 * What concerns one person across all repositories, for their own start page and the page that
 * others see. It keeps nothing.
 */
import type { Feature } from '#core/hearth.ts'
import { getContributions } from './get-contributions.ts'
import { listWaiting } from './list-waiting.ts'

export { getContributions } from './get-contributions.ts'
export { listWaiting } from './list-waiting.ts'

export const feature: Feature = { name: 'overview', operations: [listWaiting, getContributions] }
