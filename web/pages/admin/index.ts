/** The pages of site administration that stand by themselves. */
import { jobsPage, retryJobForm } from './jobs.tsx'
import { mailForms, mailPage } from './mail.tsx'
import { siteSettingsForm, siteSettingsPage } from './settings.tsx'
import { adminPage } from './status.tsx'
import { quotaForm, siteWorkspacesPage } from './workspaces.tsx'

export const adminPages = [adminPage, siteSettingsPage, siteWorkspacesPage, jobsPage, mailPage]
export const adminForms = [siteSettingsForm, quotaForm, retryJobForm, ...mailForms]
