/** Pages of rulesets, for repositories and workspaces, and the rules of a branch. */
import type { SiteSection } from '../../site.ts'
import { branchRulesPage } from './branch.tsx'
import { insightsPage } from './insights.tsx'
import { listPage } from './list.tsx'
import { rulesetPages } from './ruleset.tsx'

const LEVELS = ['repository', 'workspace'] as const
const routes = LEVELS.map(rulesetPages)

export const rulesets: SiteSection = {
  pages: [
    ...LEVELS.map(listPage),
    ...routes.flatMap(({ pages }) => pages),
    insightsPage,
    branchRulesPage,
  ],
  forms: routes.flatMap(({ forms }) => forms),
}
