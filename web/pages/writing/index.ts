/** Help for writing Markdown: previews and completion. */
import type { SiteSection } from '../../site.ts'
import { completions } from './complete.ts'
import { previewForm } from './preview.tsx'

export const writing: SiteSection = {
  forms: [previewForm],
  resources: [completions],
}
