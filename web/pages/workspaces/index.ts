/** Pages of workspaces and users: profile, members, teams, settings. */
import type { SiteSection } from '../../site.ts'
import { workspaceActivityPage } from './activity.tsx'
import { stopWorkspaceAgentForm, stopWorkspaceAgentsForm, workspaceAgentsPage } from './agents.tsx'
import { workspaceAuditDownload, workspaceAuditPage } from './audit.tsx'
import { workspaceDangerForms } from './danger-forms.ts'
import { deletedReposPage, purgeRepoForm, restoreRepoForm } from './deleted.tsx'
import { inviteMemberForm, revokeWorkspaceInviteForm } from './invite-forms.ts'
import { workspaceAgentsLive } from '../repos/agents-live.ts'
import { workspaceMemoryForm, workspaceMemoryPage } from './memory.tsx'
import { membersPage, removeMemberForm, updateMemberForm } from './members.tsx'
import { newWorkspaceForm, newWorkspacePage } from './new.tsx'
import { workspaceSettingsForm, workspaceSettingsPage } from './settings.tsx'
import {
  deleteTeamForm,
  reviewAssignmentForm,
  teamSettingsPage,
  updateTeamForm,
} from './team-settings.tsx'
import {
  removeTeamMemberForm,
  removeTeamRepoForm,
  setTeamMemberForm,
  setTeamRepoForm,
  teamPage,
} from './team.tsx'
import { newTeamForm, newTeamPage, teamsPage } from './teams.tsx'
import { workspaceTokenForms, workspaceTokensPage } from './tokens.tsx'
import { workspacePage } from './workspace.tsx'

export const workspaces: SiteSection = {
  pages: [
    workspacePage,
    workspaceActivityPage,
    workspaceAgentsPage,
    workspaceMemoryPage,
    newWorkspacePage,
    membersPage,
    teamsPage,
    newTeamPage,
    teamPage,
    teamSettingsPage,
    workspaceSettingsPage,
    workspaceTokensPage,
    deletedReposPage,
    workspaceAuditPage,
  ],
  forms: [
    stopWorkspaceAgentForm,
    stopWorkspaceAgentsForm,
    workspaceMemoryForm,
    newWorkspaceForm,
    updateMemberForm,
    removeMemberForm,
    inviteMemberForm,
    revokeWorkspaceInviteForm,
    ...workspaceDangerForms,
    workspaceSettingsForm,
    ...workspaceTokenForms,
    restoreRepoForm,
    purgeRepoForm,
    newTeamForm,
    setTeamMemberForm,
    removeTeamMemberForm,
    setTeamRepoForm,
    removeTeamRepoForm,
    updateTeamForm,
    reviewAssignmentForm,
    deleteTeamForm,
  ],
  resources: [workspaceAuditDownload, workspaceAgentsLive],
}
