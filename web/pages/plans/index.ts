/** Pages of plans. */
import type { SiteSection } from '../../site.ts'
import { planIssuePage } from './plan-issue.tsx'
import { planForms, planLive, planPage } from './plan.tsx'
import { newPlanForm, plansPage } from './plans.tsx'

export const plans: SiteSection = {
  pages: [plansPage, planPage, planIssuePage],
  forms: [newPlanForm, ...planForms],
  resources: [planLive],
}
