/** Pages of pull requests: conversation, changes, commits, session and checks. */
import type { SiteSection } from '../../site.ts'
import { branchForms } from './branch-forms.ts'
import { changeForms } from './change-forms.ts'
import { changesPage } from './changes.tsx'
import { checkLog, checksLive } from './checks-live.ts'
import { checkForms, checksPage } from './checks.tsx'
import { commentForms } from './comment-forms.ts'
import { pullCommitsPage } from './commits.tsx'
import { conflictsForm, conflictsPage } from './conflicts.tsx'
import { pullDependenciesPage } from './dependencies.tsx'
import { editPullForm, editPullPage } from './edit.tsx'
import { pullsPage } from './list.tsx'
import { newPullForm, newPullPage } from './new.tsx'
import { pullDiff, pullPatch } from './patch.ts'
import { dismissForm, mergeForm, pullCommentForm, readyForm, reviewForm } from './pull-forms.ts'
import { pullPage } from './pull.tsx'
import { askReviewersForm, cancelReviewerForm } from './reviewer-forms.ts'
import { summaryForm, summaryLive } from './summary-live.ts'
import { sessionEntryPage } from './session-entry.tsx'
import { threadPage } from './thread-page.tsx'
import { sessionForms, sessionLive, sessionPage } from './session.tsx'

export const pulls: SiteSection = {
  pages: [
    pullsPage,
    newPullPage,
    pullPage,
    editPullPage,
    changesPage,
    pullCommitsPage,
    sessionPage,
    sessionEntryPage,
    threadPage,
    pullDependenciesPage,
    checksPage,
    conflictsPage,
  ],
  forms: [
    newPullForm,
    dismissForm,
    mergeForm,
    conflictsForm,
    pullCommentForm,
    readyForm,
    reviewForm,
    editPullForm,
    askReviewersForm,
    cancelReviewerForm,
    ...commentForms,
    ...checkForms,
    ...changeForms,
    ...branchForms,
    ...sessionForms,
    summaryForm,
  ],
  resources: [pullDiff, pullPatch, checkLog, checksLive, sessionLive, summaryLive],
}
