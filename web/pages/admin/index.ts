/** Pages of site administration. */
import type { SiteSection } from '../../site.ts'
import { siteAuditDownload, siteAuditPage } from './audit.tsx'
import { agentProgramForms, agentProgramsPage } from './agent-programs.tsx'
import { backupForms, backupsPage } from './backups.tsx'
import { jobsPage, retryJobForm } from './jobs.tsx'
import { mailForms, mailPage } from './mail.tsx'
import { siteSettingsForm, siteSettingsPage } from './settings.tsx'
import { adminPage } from './status.tsx'
import {
  accountLinkForm,
  resetTwoFactorForm,
  suspendUserForm,
  unsuspendUserForm,
  usersPage,
} from './users.tsx'
import { quotaForm, siteWorkspacesPage } from './workspaces.tsx'

export const admin: SiteSection = {
  pages: [
    adminPage,
    siteSettingsPage,
    siteWorkspacesPage,
    jobsPage,
    mailPage,
    usersPage,
    backupsPage,
    agentProgramsPage,
    siteAuditPage,
  ],
  forms: [
    siteSettingsForm,
    quotaForm,
    retryJobForm,
    ...mailForms,
    suspendUserForm,
    unsuspendUserForm,
    accountLinkForm,
    resetTwoFactorForm,
    ...backupForms,
    ...agentProgramForms,
  ],
  resources: [siteAuditDownload],
}
