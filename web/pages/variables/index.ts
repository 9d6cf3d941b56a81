/** Pages of variables and secrets. The same page serves repositories and workspaces. */
import type { SiteSection } from '../../site.ts'
import { settingsPages } from './settings.tsx'

const routes = (['repository', 'workspace'] as const).map(settingsPages)

export const variables: SiteSection = {
  pages: routes.map(({ page }) => page),
  forms: routes.flatMap(({ forms }) => forms),
}
