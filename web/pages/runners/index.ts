/** Pages of runners elsewhere. The same page serves repositories, workspaces and the site. */
import type { SiteSection } from '../../site.ts'
import { runnerPages } from './settings.tsx'

const routes = (['repository', 'workspace', 'site'] as const).map(runnerPages)

export const runners: SiteSection = {
  pages: routes.map(({ page }) => page),
  forms: routes.flatMap(({ forms }) => forms),
}
