// The pages of rulesets, for repositories and for workspaces, and the rules of a branch.
import { branchRulesPage } from './branch.tsx'
import { insightsPage } from './insights.tsx'
import { listPage } from './list.tsx'
import { rulesetPages } from './ruleset.tsx'

export { branchRulesPath, countRules } from './branch.tsx'

const both = (['repository', 'workspace'] as const).map((level) => ({
  list: listPage(level),
  ...rulesetPages(level),
}))

export const rulesetSitePages = [
  ...both.flatMap(({ list, pages }) => [list, ...pages]),
  insightsPage,
  branchRulesPage,
]
export const rulesetForms = both.flatMap(({ forms }) => forms)
