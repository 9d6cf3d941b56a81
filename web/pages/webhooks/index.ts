// The pages of webhooks, for repositories and for workspaces.
import { deliveryPages } from './delivery.tsx'
import { hookPages } from './hook.tsx'
import { listPages } from './list.tsx'

const all = (['repository', 'workspace'] as const).flatMap((kind) => [
  listPages(kind),
  hookPages(kind),
  deliveryPages(kind),
])

export const webhookPages = all.map(({ page }) => page)
export const webhookForms = all.flatMap(({ forms }) => forms)
