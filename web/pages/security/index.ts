/** Pages of security findings. */
import type { SiteSection } from '../../site.ts'
import { advisoriesPage, advisoryPage, advisoryStateForm, editAdvisoryForm } from './advisories.tsx'
import { codeAlertForms, codeAlertPage } from './code-alert.tsx'
import { codeAlertsPage } from './code-alerts.tsx'
import { bypassForm, bypassPage } from './bypass.tsx'
import { patternForms, patternPages } from './patterns.tsx'
import { reopenSecretForm, resolveSecretForm, secretAlertPage } from './secret-alert.tsx'
import { scanHistoryForm, secretAlertsPage, secretSettingsForm } from './secret-alerts.tsx'
import { dependenciesPage, sbomPage } from './dependencies.tsx'
import { dependencyAlertForms, dependencyAlertPage } from './dependency-alert.tsx'
import { dependencyAlertsPage } from './dependency-alerts.tsx'
import { managerForms } from './managers.tsx'
import { newAdvisoryForm, newAdvisoryPage } from './new-advisory.tsx'
import { forkForms } from './private-fork.tsx'
import { privateForkChangesPage } from './private-fork-changes.tsx'
import { securityPage } from './overview.tsx'
import { workspaceSecurityPage } from './workspace.tsx'
import {
  followReportPage,
  newReportForm,
  newReportPage,
  reportPage,
  reportsPage,
  reviewReportForm,
} from './reports.tsx'

export const security: SiteSection = {
  pages: [
    securityPage,
    workspaceSecurityPage,
    codeAlertsPage,
    codeAlertPage,
    secretAlertsPage,
    bypassPage,
    ...patternPages,
    secretAlertPage,
    reportsPage,
    newReportPage,
    followReportPage,
    reportPage,
    advisoriesPage,
    newAdvisoryPage,
    advisoryPage,
    privateForkChangesPage,
    dependenciesPage,
    sbomPage,
    dependencyAlertsPage,
    dependencyAlertPage,
  ],
  forms: [
    ...codeAlertForms,
    ...managerForms(workspaceSecurityPage),
    scanHistoryForm,
    secretSettingsForm,
    bypassForm,
    ...patternForms,
    resolveSecretForm,
    reopenSecretForm,
    newReportForm,
    reviewReportForm,
    newAdvisoryForm,
    editAdvisoryForm,
    advisoryStateForm,
    ...forkForms(advisoryPage),
    ...dependencyAlertForms,
  ],
}
