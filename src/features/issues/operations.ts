/** The operations of this feature, in the order of its records. */
import { addComment } from './add-comment.ts'
import { closeIssue } from './close-issue.ts'
import { createIssue } from './create-issue.ts'
import { createLabel } from './create-label.ts'
import { createMilestone } from './create-milestone.ts'
import { deleteComment } from './delete-comment.ts'
import { deleteLabel } from './delete-label.ts'
import { deleteMilestone } from './delete-milestone.ts'
import { getIssue } from './get-issue.ts'
import { listAssignees } from './list-assignees.ts'
import { listComments } from './list-comments.ts'
import { listIssueEvents } from './list-issue-events.ts'
import { listIssues } from './list-issues.ts'
import { listLabels } from './list-labels.ts'
import { listMilestones } from './list-milestones.ts'
import { lockIssue } from './lock-issue.ts'
import { react } from './react.ts'
import { reopenIssue } from './reopen-issue.ts'
import { resolveComment } from './resolve-comment.ts'
import { toggleReaction } from './toggle-reaction.ts'
import { unlockIssue } from './unlock-issue.ts'
import { unreact } from './unreact.ts'
import { updateComment } from './update-comment.ts'
import { updateIssue } from './update-issue.ts'
import { updateLabel } from './update-label.ts'
import { updateMilestone } from './update-milestone.ts'

export const operations = [
  listLabels,
  createLabel,
  updateLabel,
  deleteLabel,
  listMilestones,
  createMilestone,
  updateMilestone,
  deleteMilestone,
  listIssues,
  createIssue,
  getIssue,
  updateIssue,
  closeIssue,
  reopenIssue,
  lockIssue,
  unlockIssue,
  listIssueEvents,
  listAssignees,
  addComment,
  listComments,
  updateComment,
  deleteComment,
  resolveComment,
  react,
  unreact,
  toggleReaction,
] as const
