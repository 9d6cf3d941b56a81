/** Pages of workflows, their runs and jobs. */
import type { SiteSection } from '../../site.ts'
import { artifactDownload, deleteArtifactForm } from './artifact-forms.ts'
import { workflowBadge } from './badge.ts'
import { cachesPage, deleteCacheForm } from './caches.tsx'
import { jobPage, rerunJobForm } from './job.tsx'
import { runsPage } from './list.tsx'
import { jobLive, jobLogText, runLive, runsLive } from './live.ts'
import { repoStoragePage, workspaceStoragePage } from './storage.tsx'
import { runForms, runPage } from './run.tsx'
import { summaryPage } from './summaries.tsx'
import { switchForms, workflowPage, dispatchForm } from './workflow.tsx'

export const runs: SiteSection = {
  pages: [
    runsPage,
    cachesPage,
    repoStoragePage,
    workspaceStoragePage,
    workflowPage,
    runPage,
    jobPage,
    summaryPage,
  ],
  forms: [
    ...runForms,
    deleteArtifactForm,
    deleteCacheForm,
    rerunJobForm,
    dispatchForm,
    ...switchForms,
  ],
  resources: [runsLive, runLive, jobLive, jobLogText, artifactDownload, workflowBadge],
}
