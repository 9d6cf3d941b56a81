/**
 * Issues with their labels, assignees, milestones and comments; the last three also on pull
 * requests.
 */
import type { Feature } from '#core/hearth.ts'
import { events } from './events.ts'
import { authorChanges, repoDataRemovers, retainedCommits } from '#features/repos/index.ts'
import { retainedCommitsOfComments } from './comments/store-kept-commits.ts'
import * as operations from './operations.ts'
import { changeAuthorOfRecords } from './imported/store-authors.ts'
import { addStartingLabels } from './labels/starting-labels.ts'
import { removeRecords } from './store-records.ts'

export const feature: Feature = {
  name: 'issues',
  operations: Object.values(operations),
  events,
  reactions: [addStartingLabels],
  extensions: [
    repoDataRemovers.with(removeRecords),
    authorChanges.with(changeAuthorOfRecords),
    retainedCommits.with(retainedCommitsOfComments),
  ],
}

export {
  assigneeRecord,
  assigneesOf,
} from './assignees/assignable.ts'
export { commentRecords, commentsOf } from './comments/comment-record.ts'
export { listGivenReactions } from './reactions/store-record-reactions.ts'
export {
  commentCreated,
  commentEdited,
  issueAssigned,
  issueClosed,
  issueOpened,
  issueReopened,
  issueUpdated,
} from './events.ts'
export { changeMilestone } from './change-issue.ts'
export {
  BodyInput,
  ChecksInput,
  LabelNameInput,
  LabelsInput,
  MilestoneInput,
  TitleInput,
} from './inputs.ts'
export { closeIssueAs, reopenIssueAs } from './change-state.ts'
export { issueRecord, issueRecords, milestonesOfAll } from './issue-record.ts'
export { checkLine, lineCheck } from './comments/line-check.ts'
export { isAuthor } from './authorship.ts'
export { requireOpenIssue, resolveIssue } from './resolve-issue.ts'
export { moveIssue } from './move-issue.ts'
export { readReferences, type References } from './references.ts'
export { blockIssue, openIssue } from './open-issue.ts'
export { refuseFork, requireContribution, requireIssue } from './require-records.ts'
export { refuseSecrets } from './secrets.ts'
export { conversationResolved, recordsArrived, referenceImported } from './internal-events.ts'
export { builtInAssignees } from './extension-points.ts'
export { addAssignee, setAssignees, setLabels } from './labels/set-labels.ts'
export { addLabels } from './labels/add-labels.ts'
export {
  countUnresolved,
  countUnresolvedOfAll,
  preloadUnresolved,
  findComment,
  insertComment,
  listCommentBodies,
  setCommentBody,
  listLineComments,
  listReviewComments,
  setCommentOutdated,
  setSuggestionApplied,
  listCommentStarts,
  type CommentRow,
  type CommentStart,
} from './comments/store-comments.ts'
export { recordsByRepo, type RecordReference } from './records-by-repo.ts'
export { recordFilterInputs, resolveRecordFilter } from './record-filter.ts'
export {
  findIssue,
  indexText,
  issuesByNumber,
  listIssueBodies,
  setIssueText,
} from './store-issues.ts'
export { findLabel, labelsOf, labelsOfAll, listLabelRows } from './labels/store-labels.ts'
export {
  commentCounts,
  countRecords,
  findRecord,
  preloadRecords,
  insertRecord,
  linkPull,
  listLinks,
  setRecordTitle,
  touchRecord,
  type RecordRow,
  updateLink,
} from './store-records.ts'
export {
  countListed,
  listRecordNumbers,
  type JoinedConditions,
  type RecordFilter,
} from './store-record-list.ts'
export { assigneeIdsOfAll, findAgent } from './assignees/store-assignees.ts'
export { ChangedValues, changedValues, fieldValues, type FieldValues } from './changed-values.ts'
export { splitSuggestion, suggestedLines } from './comments/suggestion.ts'
export {
  commentPointers,
  untrustedAuthors,
  preloadAuthors,
  inItems,
  inList,
  inRecord,
  isIntegrationActor,
  issuePointers,
  textPointers,
  type UntrustedScope,
} from './untrusted-texts.ts'
export { asOf } from './imported/as-of.ts'
export { cutTo, importedLine, importedText } from './imported/imported-text.ts'
export {
  importBlockers,
  importComment,
  importedTitle,
  importIssue,
  importLabel,
  importMilestone,
  importReactions,
  importRecordReactions,
  removeUnusedLabels,
  setImportedFacts,
  type ImportedRecord,
} from './imported/imported-records.ts'
export { labelName, manyLines, nameKey, notBlank, oneLine, validChecks } from './text.ts'

export * from './operations.ts'
export * from './schema.ts'
