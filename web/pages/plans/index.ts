/** Pages of plans. */
import type { SiteSection } from '../../site.ts'
import { planForms, planLive, planPage } from './plan.tsx'
import { newPlanForm, plansPage } from './plans.tsx'

export const plans: SiteSection = {
  pages: [plansPage, planPage],
  forms: [newPlanForm, ...planForms],
  resources: [planLive],
}
