/** Pages of what is remembered. */
import type { SiteSection } from '../../site.ts'
import { memoryForms, memoryPage } from './memory.tsx'

export const memory: SiteSection = { pages: [memoryPage], forms: memoryForms }
