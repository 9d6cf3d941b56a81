/** Pages of questions about a repository. */
import type { SiteSection } from '../../site.ts'
import { askForm, askPage, deleteQuestionForm, questionLive, questionPage } from './asking.tsx'

export const assistant: SiteSection = {
  pages: [askPage, questionPage],
  forms: [askForm, deleteQuestionForm],
  resources: [questionLive],
}
