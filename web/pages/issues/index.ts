/** Pages of issues, labels, milestones and the board. */
import type { SiteSection } from '../../site.ts'
import { boardForm, boardPage } from './board.tsx'
import {
  assignForm,
  commentForm,
  editIssueForm,
  editIssuePage,
  issuePage,
  lockForm,
  startPullForm,
  triageForms,
} from './issue.tsx'
import { labelForms, labelsPage } from './labels.tsx'
import { issuesPage } from './list.tsx'
import { conversationsLive } from './live.ts'
import { milestoneTextPage } from './milestone-text.tsx'
import { milestoneForms, milestonesPage } from './milestones.tsx'
import { chooseTemplatePage, newIssueForm, newIssuePage } from './new.tsx'
import { issueTextPage, pullTextPage } from './text.tsx'
import { sideForms } from './side-forms.ts'

export const issues: SiteSection = {
  pages: [
    issuesPage,
    boardPage,
    newIssuePage,
    chooseTemplatePage,
    issuePage,
    editIssuePage,
    labelsPage,
    milestonesPage,
    milestoneTextPage,
    issueTextPage,
    pullTextPage,
  ],
  forms: [
    newIssueForm,
    assignForm,
    boardForm,
    commentForm,
    editIssueForm,
    startPullForm,
    lockForm,
    ...triageForms,
    ...labelForms,
    ...milestoneForms,
    ...sideForms,
  ],
  resources: [...conversationsLive],
}
