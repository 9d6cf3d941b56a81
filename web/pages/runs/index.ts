/** Pages of workflows, their runs and jobs. */
import type { SiteSection } from '../../site.ts'
import { jobPage, rerunJobForm } from './job.tsx'
import { runsPage } from './list.tsx'
import { jobLive, jobLogText, runLive, runsLive } from './live.ts'
import { runForms, runPage } from './run.tsx'
import { switchForms, workflowPage, dispatchForm } from './workflow.tsx'

export const runs: SiteSection = {
  pages: [runsPage, workflowPage, runPage, jobPage],
  forms: [...runForms, rerunJobForm, dispatchForm, ...switchForms],
  resources: [runsLive, runLive, jobLive, jobLogText],
}
