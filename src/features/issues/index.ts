/**
 * Issues with their labels, assignees, milestones and comments; the last three also on pull
 * requests.
 */
import type { Feature } from '#core/hearth.ts'
import { events } from './events.ts'
import { belongings, keptCommits } from '#features/repos/index.ts'
import { keptOfComments } from './store-kept.ts'
import { operations } from './operations.ts'
import { addStartingLabels } from './starting-labels.ts'
import { removeRecords } from './store-records.ts'

export const feature: Feature = {
  name: 'issues',
  operations,
  events,
  reactions: [addStartingLabels],
  extensions: [belongings.with(removeRecords), keptCommits.with(keptOfComments)],
}

export { assigneesOf, resolveAssignees, type RepoRef } from './assignable.ts'
export { commentRecord, commentRecords, commentsOf } from './comment-record.ts'
export {
  commentCreated,
  commentEdited,
  issueAssigned,
  issueClosed,
  issueOpened,
  issueReopened,
  issueUpdated,
} from './events.ts'
export { issueRecord, issueRecords } from './issue-record.ts'
export { checkLine, lineCheck, type CommentedLine } from './line-check.ts'
export { actorLookup, isAuthor } from './people.ts'
export { requireOpenIssue, resolveIssue } from './resolve-issue.ts'
export { looksLikeCommit, readReferences, REFERENCE, type References } from './references.ts'
export { refuseSecrets } from './secrets.ts'
export { conversationResolved } from './signals.ts'
export { setAssignees, setLabels } from './set-labels.ts'
export {
  countUnresolved,
  findComment,
  insertComment,
  listLineComments,
  listReviewComments,
  setCommentOutdated,
  setSuggestionApplied,
  type CommentRow,
  type NewComment,
} from './store-comments.ts'
export { findIssue as issueRow, indexText, issuesByNumber, type IssueRow } from './store-issues.ts'
export { keepLabels, labelsOf, labelsOfAll } from './store-labels.ts'
export {
  commentsCount,
  countRecords,
  findRecord,
  keepRecordsOfAll,
  insertRecord,
  keepRecords,
  linkPull,
  listLinks,
  setRecordOpen,
  setRecordTitle,
  touchRecord,
  updateLink,
  type LinkChange,
  type NewLink,
  type NewRecord,
  type RecordRow,
} from './store-records.ts'
export { findAgent, keepAssignees } from './store-assignees.ts'
export { suggestedLines, suggestedText } from './suggestion.ts'
export {
  commentPlaces,
  distrust,
  inList,
  inRecord,
  issuePlaces,
  places,
  type Reading,
} from './untrusted.ts'
export { oneLine, manyLines, notBlank } from './text.ts'

export * from './schema.ts'
export { addComment } from './add-comment.ts'
export { closeIssue } from './close-issue.ts'
export { createIssue } from './create-issue.ts'
export { createLabel } from './create-label.ts'
export { createMilestone } from './create-milestone.ts'
export { deleteComment } from './delete-comment.ts'
export { deleteLabel } from './delete-label.ts'
export { deleteMilestone } from './delete-milestone.ts'
export { getIssue } from './get-issue.ts'
export { listAssignees } from './list-assignees.ts'
export { listComments } from './list-comments.ts'
export { listIssueEvents } from './list-issue-events.ts'
export { listIssues } from './list-issues.ts'
export { listLabels } from './list-labels.ts'
export { listMilestones } from './list-milestones.ts'
export { lockIssue } from './lock-issue.ts'
export { react } from './react.ts'
export { reopenIssue } from './reopen-issue.ts'
export { resolveComment } from './resolve-comment.ts'
export { toggleReaction } from './toggle-reaction.ts'
export { unlockIssue } from './unlock-issue.ts'
export { unreact } from './unreact.ts'
export { updateComment } from './update-comment.ts'
export { updateIssue } from './update-issue.ts'
export { updateLabel } from './update-label.ts'
export { updateMilestone } from './update-milestone.ts'
