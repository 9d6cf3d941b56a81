/** The page of the merge queue. */
import type { SiteSection } from '../../site.ts'
import { queueLive } from './live.ts'
import { queueForms, queuePage } from './queue.tsx'

export const queue: SiteSection = {
  pages: [queuePage],
  forms: [...queueForms],
  resources: [queueLive],
}
