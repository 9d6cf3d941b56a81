/** Pages of environments and deployments. */
import type { SiteSection } from '../../site.ts'
import { deploymentsPage, reviewForm } from './deployments.tsx'
import { environmentForms, environmentsPage } from './settings.tsx'

export const environments: SiteSection = {
  pages: [deploymentsPage, environmentsPage],
  forms: [reviewForm, ...environmentForms],
}
