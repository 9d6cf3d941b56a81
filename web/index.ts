/** The map of the site: every page, form and file address, one line each. */
import type { Settings } from '#core/settings.ts'
import { Gallery } from './gallery.tsx'
import { applicationsPage, revokeApplicationForm } from './pages/accounts/applications.tsx'
import { authorizeForm, authorizePage } from './pages/accounts/authorize.tsx'
import { deviceForm, devicePage } from './pages/accounts/device.tsx'
import { arriveByProxy } from './pages/accounts/by-proxy.ts'
import { createInviteForm, invitesPage, revokeInviteForm } from './pages/accounts/invites.tsx'
import {
  confirmForm,
  confirmPage,
  registerForm,
  registeredPage,
  registerPage,
  resendForm,
  setupForm,
  setupPage,
} from './pages/accounts/register.tsx'
import {
  addEmailForm,
  emailPrivacyForm,
  emailsPage,
  passwordLinkForm,
  removeEmailForm,
  useEmailsForm,
} from './pages/accounts/emails.tsx'
import { profileForm, profilePage, settingsPage } from './pages/accounts/profile.tsx'
import {
  addPasskeyForm,
  changePasswordForm,
  recoveryForm,
  removePasskeyForm,
  removeTwoFactorForm,
  securityPage,
  unlinkForm,
} from './pages/accounts/security.tsx'
import { endOtherSessionsForm, endSessionForm, sessionsPage } from './pages/accounts/sessions.tsx'
import { addKeyForm, keysPage, removeKeyForm } from './pages/accounts/keys.tsx'
import { finishSignOnPage, linkProviderForm, startSignOnPage } from './pages/accounts/sign-on.tsx'
import { siteAuditDownload, siteAuditPage } from './pages/admin/audit.tsx'
import { backupForms, backupsPage } from './pages/admin/backups.tsx'
import {
  enableTwoFactorForm,
  startTwoFactorForm,
  twoFactorPage,
} from './pages/accounts/two-factor.tsx'
import { adminForms, adminPages } from './pages/admin/index.ts'
import {
  resetTwoFactorForm,
  suspendUserForm,
  unsuspendUserForm,
  usersPage,
} from './pages/admin/users.tsx'
import {
  forgotForm,
  forgotPage,
  passkeySignInForm,
  resetForm,
  resetPage,
  signInForm,
  signInPage,
  signOutForm,
} from './pages/accounts/sign-in.tsx'
import { createTokenForm, revokeTokenForm, tokensPage } from './pages/accounts/tokens.tsx'
import { avatar } from './pages/avatar.ts'
import { archiveDownload } from './pages/code/archive.ts'
import { blamePage } from './pages/code/blame.tsx'
import { blobPage } from './pages/code/blob.tsx'
import { changedFilesPage } from './pages/code/changed-files.tsx'
import { comparePage, comparePickPage } from './pages/code/compare.tsx'
import { commitPage } from './pages/code/commit.tsx'
import { editForms, editPages } from './pages/code/edit.tsx'
import { firstPush } from './pages/code/first-steps.tsx'
import { firstTokenForm } from './pages/code/first-token.tsx'
import { ownersPage } from './pages/code/owners.tsx'
import { uploadForm, uploadPage } from './pages/code/upload.tsx'
import { branchesPage, commitsPage, tagsPage } from './pages/code/history.tsx'
import { patches } from './pages/code/patch.ts'
import { rawFile } from './pages/code/raw.ts'
import { refForms } from './pages/code/refs.ts'
import { repoPage, treePage } from './pages/code/tree.tsx'
import { DocsPage, type Docs } from './pages/docs.tsx'
import { guidePage } from './pages/guide.tsx'
import { homePage } from './pages/home.tsx'
import {
  commentForm,
  editIssueForm,
  editIssuePage,
  issuePage,
  lockForm,
  startPullForm,
} from './pages/issues/issue.tsx'
import { boardForm, boardPage } from './pages/issues/board.tsx'
import { labelForms, labelsPage } from './pages/issues/labels.tsx'
import { issuesPage } from './pages/issues/list.tsx'
import { milestoneForms, milestonesPage } from './pages/issues/milestones.tsx'
import { newIssueForm, newIssuePage } from './pages/issues/new.tsx'
import { conversationsLive } from './pages/issues/live.ts'
import { sideForms } from './pages/issues/side-forms.ts'
import { pullsPage } from './pages/pulls/list.tsx'
import { newPullForm, newPullPage } from './pages/pulls/new.tsx'
import { branchForms } from './pages/pulls/branch-forms.ts'
import { changeForms } from './pages/pulls/change-forms.ts'
import { changesPage } from './pages/pulls/changes.tsx'
import { checkForms, checksPage } from './pages/pulls/checks.tsx'
import { checkLog, checksLive } from './pages/pulls/checks-live.ts'
import { pullCommitsPage } from './pages/pulls/parts.tsx'
import { sessionForms, sessionLive, sessionPage } from './pages/pulls/session.tsx'
import { commentForms } from './pages/pulls/comment-forms.ts'
import { editPullForm, editPullPage } from './pages/pulls/edit.tsx'
import {
  dismissForm,
  mergeForm,
  pullCommentForm,
  pullPage,
  readyForm,
  reviewForm,
} from './pages/pulls/pull.tsx'
import { pullDiff, pullPatch } from './pages/pulls/raw.ts'
import { answerInvitationForm, invitationPage } from './pages/invitation.tsx'
import { askReviewersForm, cancelReviewerForm } from './pages/pulls/reviewer-forms.ts'
import { queueForms, queueLive, queuePage } from './pages/queue/index.ts'
import { activityPage } from './pages/repos/activity.tsx'
import { agentForms, agentsPage } from './pages/repos/agents.tsx'
import { dangerForms } from './pages/repos/danger.ts'
import {
  addCollaboratorForm,
  collaboratorsPage,
  removeCollaboratorForm,
  revokeRepoInvitationForm,
  setCollaboratorForm,
} from './pages/repos/collaborators.tsx'
import { importForms } from './pages/repos/import.tsx'
import { newRepoForm, newRepoPage } from './pages/repos/new.tsx'
import { pullSettingsForm, repoSettingsForm, repoSettingsPage } from './pages/repos/settings.tsx'
import { workspaceAuditDownload, workspaceAuditPage } from './pages/workspaces/audit.tsx'
import { deletedReposPage, purgeRepoForm, restoreRepoForm } from './pages/workspaces/deleted.tsx'
import { workspaceDangerForms } from './pages/workspaces/danger-forms.ts'
import { inviteMemberForm, revokeWorkspaceInviteForm } from './pages/workspaces/invite-forms.ts'
import { membersPage, removeMemberForm, updateMemberForm } from './pages/workspaces/members.tsx'
import { newWorkspaceForm, newWorkspacePage } from './pages/workspaces/new.tsx'
import { workspaceSettingsForm, workspaceSettingsPage } from './pages/workspaces/settings.tsx'
import { workspaceTokenForms, workspaceTokensPage } from './pages/workspaces/tokens.tsx'
import {
  deleteTeamForm,
  removeTeamMemberForm,
  removeTeamRepoForm,
  reviewAssignmentForm,
  setTeamMemberForm,
  setTeamRepoForm,
  teamPage,
  teamSettingsPage,
  updateTeamForm,
} from './pages/workspaces/team.tsx'
import { newTeamForm, newTeamPage, teamsPage } from './pages/workspaces/teams.tsx'
import { workspacePage } from './pages/workspaces/workspace.tsx'
import { feeds, notificationForms, notificationPages } from './pages/notifications/index.ts'
import { releaseForms, releasePages, releaseResources } from './pages/releases/index.ts'
import { rulesetForms, rulesetSitePages } from './pages/rulesets/index.ts'
import { completions } from './pages/writing/complete.ts'
import { previewForm } from './pages/writing/preview.tsx'
import { webhookForms, webhookPages } from './pages/webhooks/index.ts'
import { searchPages, searchResources } from './pages/search/index.ts'
import { page, type SiteMap } from './site.ts'

/** Every component in all its states, for those who build pages. */
const galleryPage = page({
  path: '/-/gallery',
  view: (_, { url }) =>
    Gallery({ theme: url.searchParams.get('theme') === 'dark' ? 'dark' : undefined }),
})

/** What the pages take from the doors, as plain data. */
export type SiteParts = { readonly docs: () => Docs }

/** The code pages of a pull request's fork, below the pull request. */
const ofFork = <T extends { readonly path: string }>(place: T): T => ({
  ...place,
  path: place.path.replace('/:repo/', '/:repo/pull/:fork/'),
})
const forkPages = [
  treePage,
  blobPage,
  blamePage,
  commitsPage,
  commitPage,
  comparePage,
  changedFilesPage,
  uploadPage,
  ...editPages,
].map(ofFork)
const forkFiles = [rawFile, archiveDownload, ...patches].map(ofFork)

export const siteMap = (
  { development }: Pick<Settings, 'development'>,
  { docs }: SiteParts,
): SiteMap => ({
  arrive: arriveByProxy,
  pages: [
    homePage,
    ...searchPages,
    page({ path: '/docs', load: docs, view: (data, visit) => DocsPage({ docs: data, visit }) }),
    guidePage,
    setupPage,
    registerPage,
    registeredPage,
    confirmPage,
    signInPage,
    forgotPage,
    resetPage,
    startSignOnPage,
    finishSignOnPage,
    settingsPage,
    profilePage,
    emailsPage,
    securityPage,
    twoFactorPage,
    sessionsPage,
    ...adminPages,
    usersPage,
    backupsPage,
    tokensPage,
    keysPage,
    applicationsPage,
    authorizePage,
    devicePage,
    invitesPage,
    invitationPage,
    teamsPage,
    newTeamPage,
    teamPage,
    teamSettingsPage,
    collaboratorsPage,
    newWorkspacePage,
    workspacePage,
    membersPage,
    workspaceSettingsPage,
    deletedReposPage,
    workspaceTokensPage,
    workspaceAuditPage,
    siteAuditPage,
    newRepoPage,
    repoPage,
    treePage,
    blobPage,
    blamePage,
    commitsPage,
    commitPage,
    comparePickPage,
    comparePage,
    changedFilesPage,
    uploadPage,
    ...editPages,
    ownersPage,
    branchesPage,
    tagsPage,
    activityPage,
    agentsPage,
    repoSettingsPage,
    issuesPage,
    boardPage,
    newIssuePage,
    issuePage,
    editIssuePage,
    labelsPage,
    milestonesPage,
    pullsPage,
    newPullPage,
    pullPage,
    editPullPage,
    changesPage,
    pullCommitsPage,
    sessionPage,
    checksPage,
    queuePage,
    ...notificationPages,
    ...releasePages,
    ...forkPages,
    ...webhookPages,
    ...rulesetSitePages,
    ...(development ? [galleryPage] : []),
  ],
  forms: [
    setupForm,
    registerForm,
    confirmForm,
    resendForm,
    signInForm,
    signOutForm,
    forgotForm,
    resetForm,
    passkeySignInForm,
    linkProviderForm,
    profileForm,
    addEmailForm,
    removeEmailForm,
    useEmailsForm,
    emailPrivacyForm,
    passwordLinkForm,
    changePasswordForm,
    startTwoFactorForm,
    enableTwoFactorForm,
    removeTwoFactorForm,
    recoveryForm,
    addPasskeyForm,
    removePasskeyForm,
    unlinkForm,
    endSessionForm,
    endOtherSessionsForm,
    suspendUserForm,
    unsuspendUserForm,
    resetTwoFactorForm,
    ...backupForms,
    ...adminForms,
    createTokenForm,
    revokeTokenForm,
    addKeyForm,
    removeKeyForm,
    revokeApplicationForm,
    authorizeForm,
    deviceForm,
    createInviteForm,
    revokeInviteForm,
    answerInvitationForm,
    inviteMemberForm,
    revokeWorkspaceInviteForm,
    ...workspaceDangerForms,
    newTeamForm,
    updateTeamForm,
    reviewAssignmentForm,
    deleteTeamForm,
    setTeamMemberForm,
    removeTeamMemberForm,
    setTeamRepoForm,
    removeTeamRepoForm,
    addCollaboratorForm,
    setCollaboratorForm,
    removeCollaboratorForm,
    revokeRepoInvitationForm,
    newWorkspaceForm,
    updateMemberForm,
    removeMemberForm,
    workspaceSettingsForm,
    restoreRepoForm,
    purgeRepoForm,
    newRepoForm,
    ...importForms,
    repoSettingsForm,
    pullSettingsForm,
    ...dangerForms,
    ...refForms,
    ...editForms,
    ...editForms.map(ofFork),
    uploadForm,
    ofFork(uploadForm),
    firstTokenForm,
    ...agentForms,
    ...workspaceTokenForms,
    ...webhookForms,
    ...rulesetForms,
    ...releaseForms,
    newIssueForm,
    boardForm,
    commentForm,
    editIssueForm,
    startPullForm,
    lockForm,
    ...commentForms,
    ...labelForms,
    ...milestoneForms,
    ...sideForms,
    newPullForm,
    pullCommentForm,
    readyForm,
    reviewForm,
    dismissForm,
    editPullForm,
    mergeForm,
    askReviewersForm,
    cancelReviewerForm,
    ...checkForms,
    ...changeForms,
    ...branchForms,
    ...sessionForms,
    ...queueForms,
    ...notificationForms,
    previewForm,
  ],
  resources: [
    ...searchResources,
    ...releaseResources,
    ...feeds,
    avatar,
    workspaceAuditDownload,
    siteAuditDownload,
    rawFile,
    archiveDownload,
    ...patches,
    ...forkFiles,
    pullDiff,
    pullPatch,
    checkLog,
    checksLive,
    queueLive,
    sessionLive,
    ...conversationsLive,
    firstPush,
    completions,
  ],
})
