/** Pages of webhooks. The same pages serve repositories and workspaces. */
import type { SiteSection } from '../../site.ts'
import { deliveryPages } from './delivery.tsx'
import { hookPages } from './hook.tsx'
import { listPages } from './list.tsx'

const routes = (['repository', 'workspace'] as const).flatMap((kind) => [
  listPages(kind),
  hookPages(kind),
  deliveryPages(kind),
])

export const webhooks: SiteSection = {
  pages: routes.map(({ page }) => page),
  forms: routes.flatMap(({ forms }) => forms),
}
