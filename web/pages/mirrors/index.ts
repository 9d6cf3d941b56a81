/** The page of mirror links. */
import type { SiteSection } from '../../site.ts'
import { mirrorForms, mirrorPage } from './mirrors.tsx'

export const mirrors: SiteSection = { pages: [mirrorPage], forms: mirrorForms }
