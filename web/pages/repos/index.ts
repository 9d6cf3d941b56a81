/** Pages about a repository as a whole: creation, settings, collaborators, agents, activity. */
import type { SiteSection } from '../../site.ts'
import { activityPage } from './activity.tsx'
import { agentsLive } from './agents-live.ts'
import { agentForms, agentsPage } from './agents.tsx'
import {
  addCollaboratorForm,
  collaboratorsPage,
  removeCollaboratorForm,
  revokeRepoInvitationForm,
  setCollaboratorForm,
} from './collaborators.tsx'
import { dangerForms } from './danger-forms.ts'
import { addDeployKeyForm, deployKeysPage, removeDeployKeyForm } from './deploy-keys.tsx'
import { importForms, importPage } from './import.tsx'
import { importsStream, repoImportStream } from './import-live.ts'
import { importManyForms, importManyPage } from './import-many.tsx'
import { cancelOneForm, importProgressPage } from './import-progress.tsx'
import { insightsPage } from './insights.tsx'
import { fileLocksPage, lockFileForm, unlockFileForm } from './locks.tsx'
import { newRepoForm, newRepoPage } from './new.tsx'
import {
  featureSettingsForm,
  runSettingsForm,
  pullSettingsForm,
  repoSettingsForm,
  repoSettingsPage,
} from './settings.tsx'
import { stricterProtectionForm } from './stricter-protection.tsx'

export const repos: SiteSection = {
  pages: [
    newRepoPage,
    importPage,
    importManyPage,
    importProgressPage,
    activityPage,
    insightsPage,
    agentsPage,
    collaboratorsPage,
    deployKeysPage,
    fileLocksPage,
    repoSettingsPage,
  ],
  forms: [
    newRepoForm,
    ...importForms,
    ...importManyForms,
    cancelOneForm,
    repoSettingsForm,
    featureSettingsForm,
    runSettingsForm,
    pullSettingsForm,
    stricterProtectionForm,
    addCollaboratorForm,
    setCollaboratorForm,
    removeCollaboratorForm,
    revokeRepoInvitationForm,
    addDeployKeyForm,
    removeDeployKeyForm,
    lockFileForm,
    unlockFileForm,
    ...dangerForms,
    ...agentForms,
  ],
  resources: [agentsLive, repoImportStream, importsStream],
}
